"""What the assistant says in a chat."""

from __future__ import annotations

from .._internal.texts import Pairs, texts
from ..nodes.plan_act.prompts.texts import TEXTS as LOOP

TEXTS: Pairs = {
    **LOOP,
    "nothing_to_cancel": ("There is no task in progress.", "当前没有进行中的任务。"),
    "no_model": (
        "No language model is configured, so plain text cannot be worked on. Commands work: try /todo, /schedule, "
        "/view or /help.",
        "当前未配置 LLM，无法处理自然语言。命令仍可使用：/todo、/schedule、/view、/help。",
    ),
    "chat.advice": ("use the /todo and /schedule commands", "直接使用 /todo、/schedule 命令"),
    "chat.refused": (
        "The model refused the request: {error}\nCheck its name and its key. The commands work "
        "without it: /todo, /schedule.",
        "模型拒绝了请求：{error}\n请检查模型名称和密钥。命令无需模型即可使用：/todo、/schedule。",
    ),
    "chat.unknown": (
        "There is no command {command}. The commands are: {commands}.",
        "没有命令 {command}。可用命令：{commands}。",
    ),
    "chat.help": (
        "Write what you want in plain words, or use a command:\n"
        "  /todo      the todo list; /todo help lists its orders\n"
        "  /schedule  the calendar; /schedule help lists its orders\n"
        "  /view      both: /view today, /view week, /view all\n"
        "  /plan      the current task: its plan, what is done, what is open\n"
        "  /resume    go on with a task that was stopped\n"
        "  /cancel    give the current task up\n"
        "  /new       forget what was said before\n"
        "  /model     the model in use; /model NAME takes another one, /model NAME, NAME several, cheapest first\n"
        "  /help      this text\n"
        "  /quit      leave",
        "直接用自然语言描述需求，或使用命令：\n"
        "  /todo      待办列表；/todo help 查看用法\n"
        "  /schedule  日程；/schedule help 查看用法\n"
        "  /view      两者：/view today、/view week、/view all\n"
        "  /plan      当前任务的计划与进度\n"
        "  /resume    继续被中断的任务\n"
        "  /cancel    取消当前任务\n"
        "  /new       忘记之前的对话\n"
        "  /model     当前模型；/model 名称 可切换，多个以逗号分隔，便宜的在前\n"
        "  /help      显示本帮助\n"
        "  /quit      退出",
    ),
    "chat.new": (
        "What was said before is forgotten. The agenda and a task in progress stay.",
        "已忘记之前的对话。待办、日程和进行中的任务不受影响。",
    ),
    "chat.model": ("The model is {model}.", "当前模型：{model}。"),
    "chat.none": ("none", "无"),
    "chat.welcome": (
        "thoughtgraph chat, model {model}. /help lists the commands, Ctrl-C stops a task, /quit leaves.",
        "thoughtgraph 对话，模型 {model}。/help 查看命令，Ctrl-C 停止任务，/quit 退出。",
    ),
    "chat.pending_question": ("A task is waiting for your answer ({goal}):", "有任务正在等待您的回答（{goal}）："),
    "chat.pending_run": (
        "A task was interrupted and goes on now ({goal}). Ctrl-C stops it, /cancel gives it up.",
        "有任务曾被中断，现在继续（{goal}）。Ctrl-C 停止，/cancel 放弃。",
    ),
    "chat.stopped": (
        "Stopped. /resume goes on with the task, /cancel gives it up; a new request takes its place.",
        "已停止。/resume 继续任务，/cancel 放弃；输入新的需求则开始新任务。",
    ),
    "chat.nothing_pending": ("There is no task to go on with.", "没有可以继续的任务。"),
    "chat.no_plan": ("There is no task yet.", "还没有任务。"),
    "chat.goal": ("Task: {goal}", "任务：{goal}"),
    "chat.steps": ("{steps} of {max_steps} steps used", "已用 {steps}/{max_steps} 步"),
    "chat.planned": ("Plan:", "计划："),
    "chat.item": ("Step {item} of {of}: {step}", "步骤 {item}/{of}：{step}"),
    "chat.thinking": ("thinking", "思考中"),
    "chat.bye": ("Bye.", "再见。"),
}
text = texts(TEXTS)
