"""The advice that follows a tool's failure, and the question for what a call lacks."""

from __future__ import annotations

from ..._internal.texts import Pairs, texts

TEXTS: Pairs = {
    "required.ask": ("what should {tool} be given as: {about}?", "{tool} 还缺少：{about}。请提供。"),
    "tool.advice.timeout": (
        "Advice: the call took too long; allow more time, ask for less, or check the network.",
        "建议：增加超时时间或检查网络连接",
    ),
    "tool.advice.connection": (
        "Advice: the service could not be reached; check the network, or try again later.",
        "建议：检查网络连接，或稍后重试",
    ),
    "tool.advice.rate_limit": (
        "Advice: the service asks for fewer calls; wait, or do without it.",
        "建议：调用过于频繁，请稍后再试",
    ),
    "tool.advice.authorization": (
        "Advice: access was refused; check the API key and the permissions.",
        "建议：检查API密钥或权限是否正确",
    ),
    "tool.advice.bad_arguments": (
        "Advice: check the arguments of {tool}, and call it again with a corrected input.",
        "建议：检查{tool}的参数是否正确",
    ),
    "tool.advice.not_found": (
        "Advice: what was named is not there; look up what there is, and name that.",
        "建议：所指对象不存在，请先查询再操作",
    ),
    "tool.advice.empty": (
        "Advice: nothing was found; use other words, or answer without it.",
        "建议：没有结果，请更换关键词，或直接说明未找到",
    ),
    "tool.advice.other": (
        "Advice: check the arguments of {tool}, or take another tool. If it cannot be done, say why.",
        "建议：检查{tool}的参数是否正确，或使用其他工具；如果无法完成，请说明原因",
    ),
}
text = texts(TEXTS)
