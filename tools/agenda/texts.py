"""The texts of the todo list and the calendar, and those about their tools that a model reads."""

from __future__ import annotations

from ..._internal.texts import Pairs, texts
from ..dates.texts import TEXTS as DATES
from .checks.texts import TEXTS as OF_CHECKS

TEXTS: Pairs = {
    **DATES,
    **OF_CHECKS,
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
    "agenda.usage": ("{problem} Usage: {usage}", "{problem}用法：{usage}"),
    "agenda.comma": (", ", "，"),
    "agenda.more": ("; and {count} more", "；另有 {count} 项"),
    "agenda.unknown_command": (
        'Unknown command "{word}". A line starts with /todo, /schedule or /view, for example: /todo add buy milk.',
        "未知命令“{word}”。命令以 /todo、/schedule 或 /view 开头，例如：/todo add 买牛奶。",
    ),
    "agenda.wrong_tool": (
        'The {name} tool takes commands that start with {starts}, not "{word}". Example: /{name} list.',
        "{name} 工具只接受以 {starts} 开头的命令，而不是“{word}”。例如：/{name} list。",
    ),
    "agenda.placeholder": (
        '"{word}" only stands for what the user said. Write the command again, with the words of the user there.',
        "“{word}”只是占位，请换成用户所说的内容，重新写这条命令。",
    ),
    "agenda.nothing_there": (
        "There is nothing yet that could be changed. If it is new: {mend}",
        "目前没有可以修改的内容。如果是新的一项：{mend}",
    ),
    "agenda.none_there": (
        "There is no entry like that. What the user wants to be kept is a new one: {command}",
        "没有这样的项。用户是要记下新的一项：{command}",
    ),
    "agenda.same": ("Nothing would change: {entry}", "没有任何变化：{entry}"),
    "agenda.one_at_a_time": (
        "There is more than one command. Give one command at a time.",
        "包含多条命令，请一次只给一条命令。",
    ),
    "agenda.all_instead": (
        "The list cannot be narrowed down to “{wanted}”. All of it:",
        "无法按“{wanted}”筛选，以下是全部：",
    ),
    "agenda.no_change": ("Nothing to change was given.", "没有给出要修改的内容。"),
    "agenda.find_what": ("The words to find are missing.", "缺少要查找的词。"),
    "agenda.key_taken": (
        "The idempotency key {key} belongs to another command ({command}). Make a new key for every effect.",
        "幂等键 {key} 已用于另一条命令（{command}）。每个操作请使用新的键。",
    ),
    "agenda.store_failed": (
        "The agenda's file cannot be used ({error}); nothing was changed. Check the file and run the command again.",
        "无法使用日程文件（{error}），未做任何更改。请检查该文件后重新执行命令。",
    ),
    "todo.tool": (
        "The todo list. The input is one command: to add `/todo add TEXT`, with a date `/todo add TEXT --due WHEN`, as "
        "urgent `/todo add TEXT --priority high`; to read `/todo list` or `/todo list --due week`; to finish "
        "`/todo done ID`; to remove `/todo rm ID`; to change `/todo edit ID TEXT --due WHEN`. An entry's text may "
        "stand for its ID.",
        "待办清单。input 为一条命令：添加 `/todo add 内容`，带日期 `/todo add 内容 --due 时间`，紧急 "
        "`/todo add 内容 --priority high`；查看 `/todo list` 或 `/todo list --due week`；完成 `/todo done 编号`；"
        "删除 `/todo rm 编号`；修改 `/todo edit 编号 内容 --due 时间`。编号可用该项的内容代替。",
    ),
    "todo.help": (
        "Todo commands:\n"
        "/todo add TEXT [--due WHEN] [--tag TAG]… [--priority low|normal|high]\n"
        "/todo list [open|done|all] [--tag TAG] [--due today|tomorrow|week|overdue|DATE] [--priority …]\n"
        "/todo done ID…, /todo undo ID…, /todo rm ID…, /todo show ID\n"
        "/todo edit ID [TEXT] [--due WHEN|none] [--tag TAG|none] [--priority …]\n"
        "Several at once: /todo edit 1,2 --due friday, /todo done all\n"
        "/todo find WORDS, /todo clear done\n"
        "/view [today|tomorrow|week|all|todo|schedule|done]\n"
        "WHEN is a date, a time or both: tomorrow 15:00, friday 9am, in 2 hours, 2026-12-01 10:00.",
        "待办命令：\n"
        "/todo add 内容 [--due 时间] [--tag 标签]… [--priority low|normal|high]\n"
        "/todo list [open|done|all] [--tag 标签] [--due today|tomorrow|week|overdue|日期] [--priority …]\n"
        "/todo done 编号…、/todo undo 编号…、/todo rm 编号…、/todo show 编号\n"
        "/todo edit 编号 [内容] [--due 时间|none] [--tag 标签|none] [--priority …]\n"
        "一次多项：/todo edit 1,2 --due 周五、/todo done 全部\n"
        "/todo find 关键词、/todo clear done\n"
        "/view [today|tomorrow|week|all|todo|schedule|done]\n"
        "时间可以是日期、钟点或两者：明天 15:00、周五上午9点、2小时后、2026-12-01 10:00。",
    ),
    "todo.usage.add": (
        "/todo add TEXT [--due WHEN] [--tag TAG] [--priority low|normal|high], for example: "
        "/todo add buy milk --due tomorrow 15:00",
        "/todo add 内容 [--due 时间] [--tag 标签] [--priority low|normal|high]，例如：/todo add 买牛奶 --due 明天15:00",
    ),
    "todo.usage.list": (
        "/todo list [open|done|all] [--tag TAG] [--due today|tomorrow|week|overdue|DATE] [--priority low|normal|high], "
        "for example: /todo list --due week",
        "/todo list [open|done|all] [--tag 标签] [--due today|tomorrow|week|overdue|日期] "
        "[--priority low|normal|high]，例如：/todo list --due week",
    ),
    "todo.usage.done": ("/todo done ID…, for example: /todo done 2", "/todo done 编号…，例如：/todo done 2"),
    "todo.usage.undo": ("/todo undo ID…, for example: /todo undo 2", "/todo undo 编号…，例如：/todo undo 2"),
    "todo.usage.edit": (
        "/todo edit ID [TEXT] [--due WHEN|none] [--tag TAG|none] [--priority low|normal|high], for example: "
        "/todo edit 2 buy bread --due friday",
        "/todo edit 编号 [内容] [--due 时间|none] [--tag 标签|none] [--priority low|normal|high]，例如："
        "/todo edit 2 买面包 --due 周五",
    ),
    "todo.usage.rm": ("/todo rm ID…, for example: /todo rm 2", "/todo rm 编号…，例如：/todo rm 2"),
    "todo.usage.show": ("/todo show ID, for example: /todo show 2", "/todo show 编号，例如：/todo show 2"),
    "todo.usage.find": ("/todo find WORDS, for example: /todo find milk", "/todo find 关键词，例如：/todo find 牛奶"),
    "todo.usage.clear": ("/todo clear done", "/todo clear done"),
    "todo.usage.help": ("/todo help", "/todo help"),
    "todo.unknown_order": (
        'Unknown order "{word}"; there are: {known}. To add it as a todo, write: {suggested}',
        "未知操作“{word}”，可用：{known}。若要添加为待办，请写：{suggested}",
    ),
    "todo.which": ("Say which todo, by its id. {known}", "请用编号指明待办。{known}"),
    "todo.unknown_id": ("There is no todo {ids}. {known}", "没有编号为 {ids} 的待办。{known}"),
    "todo.unknown_text": ('No todo here is called "{words}". {known}', "这里没有名为“{words}”的待办。{known}"),
    "todo.several": (
        '"{words}" fits several todos; name one by its id. {known}',
        "“{words}”对应多个待办，请用编号指明。{known}",
    ),
    "todo.known_done": ("todo {entry} (done)", "待办 {entry}（已完成）"),
    "todo.known": ("todo {entry}", "待办 {entry}"),
    "todo.there": ("There are: {entries}.", "现有：{entries}。"),
    "todo.none_there": ("There are none.", "现在没有待办。"),
    "todo.clear_what": ("Only done todos can be cleared.", "只能清除已完成的待办。"),
    "todo.bad_filter": ('"{words}" is not a filter that the list knows.', "列表不支持筛选条件“{words}”。"),
    "todo.bad_tag": ('The tag "{tag}…" is longer than {limit} characters.', "标签“{tag}…”超过 {limit} 个字符。"),
    "todo.bad_priority": (
        '"{priority}" is not a priority: write low, normal or high.',
        "“{priority}”不是优先级，请写 low、normal 或 high。",
    ),
    "todo.added": ("Added todo {entry}.", "已添加待办 {entry}。"),
    "todo.changed": ("Changed todo {entry}.", "已修改待办 {entry}。"),
    "todo.now_done": ("Done: {entries}.", "已完成：{entries}。"),
    "todo.now_open": ("Open again: {entries}.", "已恢复为未完成：{entries}。"),
    "todo.already_done": ("Done already: {entries}.", "此前已完成：{entries}。"),
    "todo.already_open": ("Open already: {entries}.", "本来就未完成：{entries}。"),
    "todo.removed": ("Removed todo {entries}.", "已删除待办 {entries}。"),
    "todo.cleared": ("Removed {count} done todo(s).", "已删除 {count} 项已完成的待办。"),
    "todo.noted": ("{id}: {text} ({notes})", "{id}: {text}（{notes}）"),
    "todo.due": ("due {due}", "截止 {due}"),
    "todo.overdue": ("overdue", "已逾期"),
    "todo.priority.low": ("low priority", "低优先级"),
    "todo.priority.high": ("high priority", "高优先级"),
    "todo.is_done": ("done", "已完成"),
    "todo.details": ("{entry}, added {created}", "{entry}，添加于 {created}"),
    "todo.is_due": ("Due {when}.", "{when}到期。"),
    "todo.list.open": ("Open todos ({count}):", "未完成的待办（{count}）："),
    "todo.list.done": ("Done todos ({count}):", "已完成的待办（{count}）："),
    "todo.list.all": ("All todos ({count}):", "全部待办（{count}）："),
    "todo.list.found": ("Todos found ({count}):", "找到的待办（{count}）："),
    "todo.list.due": ("Todos due ({count}):", "到期的待办（{count}）："),
    "todo.none.open": ("No open todos.", "没有未完成的待办。"),
    "todo.none.done": ("No done todos.", "没有已完成的待办。"),
    "todo.none.all": ("No todos.", "没有待办。"),
    "todo.none.due": ("No todos due.", "没有到期的待办。"),
    "todo.no_match": (
        "No todo passes this filter. Every todo: /todo list all",
        "没有符合条件的待办。查看全部：/todo list all",
    ),
    "todo.not_found": ('No todo holds "{words}".', "没有包含“{words}”的待办。"),
    "schedule.tool": (
        "The calendar of appointments. The input is one command: to add `/schedule add TEXT --at WHEN`, with a length "
        "`/schedule add TEXT --at WHEN --for 30m`; to read `/schedule list`, `/schedule list week` or "
        "`/schedule list DATE`; to move `/schedule edit ID --at WHEN`; to cancel `/schedule rm ID`. An entry's text "
        "may stand for its ID.",
        "日程表。input 为一条命令：添加 `/schedule add 内容 --at 时间`，带时长则加 `--for 30m`；"
        "查看 `/schedule list`、`/schedule list week` 或 `/schedule list 日期`；改期 `/schedule edit 编号 --at 时间`；"
        "取消 `/schedule rm 编号`。编号可用该项的内容代替。",
    ),
    "schedule.help": (
        "Schedule commands:\n"
        "/schedule add TEXT --at WHEN [--for 90m|1h30m|2h] [--place PLACE]\n"
        "/schedule add TEXT WHEN, /schedule add WHEN TEXT\n"
        "/schedule list [upcoming|today|tomorrow|week|all|DATE|DATE..DATE]\n"
        "/schedule edit ID [TEXT] [--at WHEN] [--for …] [--place PLACE|none]\n"
        "/schedule rm ID…, /schedule show ID, /schedule next, /schedule find WORDS\n"
        "Several at once: /schedule edit 1,2 --at friday, /schedule rm all\n"
        "WHEN is a date with a time: tomorrow 15:00, friday 9am, in 2 hours, 2026-12-01 10:00-11:30.",
        "日程命令：\n"
        "/schedule add 内容 --at 时间 [--for 90m|1h30m|2h] [--place 地点]\n"
        "/schedule add 内容 时间、/schedule add 时间 内容\n"
        "/schedule list [upcoming|today|tomorrow|week|all|日期|日期..日期]\n"
        "/schedule edit 编号 [内容] [--at 时间] [--for …] [--place 地点|none]\n"
        "/schedule rm 编号…、/schedule show 编号、/schedule next、/schedule find 关键词\n"
        "一次多项：/schedule edit 1,2 --at 周五、/schedule rm 全部\n"
        "时间为日期加钟点：明天 15:00、周五上午9点、2小时后、2026-12-01 10:00-11:30。",
    ),
    "schedule.usage.add": (
        "/schedule add TEXT --at WHEN [--for 90m|1h30m|2h] [--place PLACE], for example: "
        "/schedule add dentist --at tomorrow 15:00 --for 30m",
        "/schedule add 内容 --at 时间 [--for 90m|1h30m|2h] [--place 地点]，例如："
        "/schedule add 看牙医 --at 明天15:00 --for 30m",
    ),
    "schedule.usage.list": (
        "/schedule list [upcoming|today|tomorrow|week|all|DATE|DATE..DATE], for example: "
        "/schedule list 2026-12-01..2026-12-05",
        "/schedule list [upcoming|today|tomorrow|week|all|日期|日期..日期]，例如："
        "/schedule list 2026-12-01..2026-12-05",
    ),
    "schedule.usage.edit": (
        "/schedule edit ID [TEXT] [--at WHEN] [--for 90m|1h30m|2h] [--place PLACE|none], for example: "
        "/schedule edit 2 --at friday 9:00",
        "/schedule edit 编号 [内容] [--at 时间] [--for 90m|1h30m|2h] [--place 地点|none]，例如："
        "/schedule edit 2 --at 周五9:00",
    ),
    "schedule.usage.rm": ("/schedule rm ID…, for example: /schedule rm 2", "/schedule rm 编号…，例如：/schedule rm 2"),
    "schedule.usage.show": (
        "/schedule show ID, for example: /schedule show 2",
        "/schedule show 编号，例如：/schedule show 2",
    ),
    "schedule.usage.next": ("/schedule next", "/schedule next"),
    "schedule.usage.find": (
        "/schedule find WORDS, for example: /schedule find dentist",
        "/schedule find 关键词，例如：/schedule find 牙医",
    ),
    "schedule.usage.help": ("/schedule help", "/schedule help"),
    "schedule.unknown_order": (
        'Unknown order "{word}"; there are: {known}. To add it as an appointment, write: {suggested}',
        "未知操作“{word}”，可用：{known}。若要添加为日程，请写：{suggested}",
    ),
    "schedule.not_ticked": (
        'Appointments have no order "{word}", only: {known}. One that is moved: /schedule edit ID --at WHEN. '
        "One that is off: /schedule rm ID.",
        "日程没有操作“{word}”，可用：{known}。改时间：/schedule edit 编号 --at 时间；取消：/schedule rm 编号",
    ),
    "schedule.which": ("Say which appointment, by its id. {known}", "请用编号指明日程。{known}"),
    "schedule.unknown_id": ("There is no appointment {ids}. {known}", "没有编号为 {ids} 的日程。{known}"),
    "schedule.unknown_text": ('No appointment is called "{words}". {known}', "没有名为“{words}”的日程。{known}"),
    "schedule.several": (
        '"{words}" fits several appointments; name one by its id. {known}',
        "“{words}”对应多个日程，请用编号指明。{known}",
    ),
    "schedule.known": ("appointment {entry}", "日程 {entry}"),
    "schedule.there": ("There are: {entries}.", "现有：{entries}。"),
    "schedule.none_there": ("There are none.", "现在没有日程。"),
    "schedule.no_when": (
        "The date and time are missing, or stand neither at the start nor at the end.",
        "缺少日期和时间，或它们不在开头或结尾。",
    ),
    "schedule.no_time": (
        "A time of day is missing, such as 15:00. What only has to be done by that day is a todo: {todo}",
        "缺少钟点，例如 15:00。如果只是截止到那天，就是待办：{todo}",
    ),
    "schedule.added": ("Added appointment {entry}.", "已添加日程 {entry}。"),
    "schedule.changed": ("Changed appointment {entry}.", "已修改日程 {entry}。"),
    "schedule.removed": ("Removed appointment {entries}.", "已删除日程 {entries}。"),
    "schedule.overlaps": ("It overlaps {entries}.", "与以下日程时间重叠：{entries}。"),
    "schedule.past": ("Note: it starts in the past.", "注意：开始时间已过。"),
    "schedule.next": ("Next: {entry}", "下一个日程：{entry}"),
    "schedule.is_in": ("That is {when}.", "就是{when}。"),
    "schedule.entry": ("{id}: {text}, {span}", "{id}: {text}，{span}"),
    "schedule.entry_at": ("{id}: {text}, {span}, at {place}", "{id}: {text}，{span}，地点：{place}"),
    "schedule.list.upcoming": ("Upcoming appointments ({count}):", "即将到来的日程（{count}）："),
    "schedule.list.all": ("All appointments ({count}):", "全部日程（{count}）："),
    "schedule.list.period": ("Appointments ({count}):", "日程（{count}）："),
    "schedule.list.found": ("Appointments found ({count}):", "找到的日程（{count}）："),
    "schedule.none.upcoming": ("No upcoming appointments.", "没有即将到来的日程。"),
    "schedule.none.all": ("No appointments.", "没有日程。"),
    "schedule.none.period": ("No appointments then.", "该时段没有日程。"),
    "schedule.not_found": ('No appointment holds "{words}".', "没有包含“{words}”的日程。"),
    "view.usage": (
        "/view [today|tomorrow|week|all|todo|schedule|done|DATE], for example: /view week",
        "/view [today|tomorrow|week|all|todo|schedule|done|日期]，例如：/view week",
    ),
}
text = texts(TEXTS)
