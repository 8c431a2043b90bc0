"""The texts about a command line, and about the dates, times and durations in it."""

from __future__ import annotations

from ..._internal.texts import Pairs, texts

TEXTS: Pairs = {
    "agenda.too_long": (
        "The text may have {limit} characters; this one has {length}. Shorten it.",
        "文本最多 {limit} 个字符，现有 {length} 个，请缩短。",
    ),
    "agenda.no_text": ("The text is missing.", "缺少内容。"),
    "agenda.unknown_option": (
        'Unknown option "{option}"; known here: {known}. What an entry says has no option: write the whole text. Put a '
        "text that holds it in double quotes.",
        "未知选项“{option}”，此处可用：{known}。内容没有选项，请写出完整的内容。若它是内容的一部分，请用双引号括起内容。",
    ),
    "agenda.empty_option": ("{option} has no value.", "{option} 缺少值。"),
    "agenda.option_twice": ("{option} is given twice.", "{option} 重复给出。"),
    "when.weekdays": ("Mon Tue Wed Thu Fri Sat Sun", "周一 周二 周三 周四 周五 周六 周日"),
    "when.day": ("{weekday} {date}", "{date} {weekday}"),
    "when.unclear": (
        '"{words}" is not a date or time that can be read. Write for example tomorrow 15:00, friday 9am, in 2 hours or '
        "2026-12-01 10:00.",
        "无法识别“{words}”为日期或时间。请写成例如：明天 15:00、周五上午9点、2小时后、2026-12-01 10:00。",
    ),
    "when.impossible": (
        '"{words}" names a day or an hour that does not exist. Write for example 2026-12-01 10:00.',
        "“{words}”中的日期或钟点不存在。请写成例如：2026-12-01 10:00。",
    ),
    "when.two_ways": (
        '"{words}" could be day and month or month and day. Write the date as year-month-day, for example 2026-12-01.',
        "“{words}”中的日和月有歧义。请按年-月-日书写，例如 2026-12-01。",
    ),
    "when.which_half": (
        '"{words}" does not say whether morning or afternoon is meant. Write for example 3pm or 15:00.',
        "“{words}”没有说明上午还是下午。请写成例如：下午3点 或 15:00。",
    ),
    "when.far": (
        '"{words}" is too far away: the years 1970 to 2199 can be used.',
        "“{words}”太久远，只支持 1970 年至 2199 年。",
    ),
    "when.backwards": ('"{words}" ends before it starts.', "“{words}”的结束早于开始。"),
    "when.no_duration": (
        '"{words}" is not a length of time. Write for example 90m, 1h30m or 2h.',
        "无法识别时长“{words}”。请写成例如：90m、1h30m 或 2h。",
    ),
    "when.bad_duration": (
        '"{words}" is not between one minute and 31 days.',
        "时长“{words}”不在 1 分钟至 31 天之间。",
    ),
}
text = texts(TEXTS)
