"""The texts about dates, times and durations."""

from __future__ import annotations

from ..._internal.texts import Pairs, texts

TEXTS: Pairs = {
    "when.weekdays": ("Mon Tue Wed Thu Fri Sat Sun", "周一 周二 周三 周四 周五 周六 周日"),
    "when.day": ("{weekday} {date}", "{date} {weekday}"),
    "when.in_days": ("in {count} days", "{count} 天后"),
    "when.days_ago": ("{count} days ago", "{count} 天前"),
    "when.tomorrow": ("tomorrow", "明天"),
    "when.today": ("today", "今天"),
    "when.yesterday": ("yesterday", "昨天"),
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
    "when.bad_duration": ('"{words}" is not between one minute and 31 days.', "时长“{words}”不在 1 分钟至 31 天之间。"),
}
text = texts(TEXTS)
