"""The texts of the agenda's checks: what a model is told of a command that is held back, and what the user is asked.

Who has one of them in hand finds its check by the key.
"""

from __future__ import annotations

from ...._internal.texts import Pairs

TEXTS: Pairs = {
    "agenda.none_of_these": ("None of these is called “{words}”.", "其中没有叫“{words}”的。"),
    "agenda.ask_stays": ("which of these is to stay?\n{entries}", "哪一项要保留？\n{entries}"),
    "agenda.stays": ("The user wants this to stay: {entries}. Use: {mend}", "用户要保留：{entries}。请用：{mend}"),
    "agenda.ask_this": ("do you mean this? You did not name it.\n{entry}", "您指的是这一项吗？您没有提到它。\n{entry}"),
    "agenda.ask_sure": ("is this right? {command}", "确定要这样做吗？{command}"),
    "agenda.ask_rather": ("about “{entry}”: should it be {command}?", "关于“{entry}”：应当执行 {command} 吗？"),
    "agenda.ask_beside": (
        "should “{text}” be added beside this one?\n{entry}",
        "要在这一项之外另加“{text}”吗？\n{entry}",
    ),
    "agenda.ask_change": ("what should become of this?\n{entry}", "要把这一项改成什么？\n{entry}"),
    "agenda.own_line": (
        "That is the entry as it is: {entry}. After {command} write only what becomes of it.",
        "这就是该项现在的样子：{entry}。在 {command} 后面只写要改成的内容。",
    ),
    "agenda.ask_new": (
        "there is no entry like that. Should “{text}” be added as a new one?",
        "没有这样的一项。要新增“{text}”吗？",
    ),
    "agenda.only_quoted": (
        "The user only quotes a word of this, and says nothing of it: {entry}. Answer without a call.",
        "用户只是引用了其中的字眼，并没有说到这一项：{entry}。请直接回答，不要调用。",
    ),
    "agenda.nothing_asked": (
        "The user says that nothing is to be done. Answer without a call.",
        "用户说不需要做任何事。请直接回答，不要调用。",
    ),
    "agenda.only_asked": (
        "The user only asks a question, so nothing is to be changed. Read with {command}, or answer.",
        "用户只是在提问，不要做任何更改。请用 {command} 查看，或直接回答。",
    ),
    "agenda.asks_elsewhere": (
        "Nothing here is called “{words}”, and nothing here is to be changed. The user asks: “{asked}”. Find that out "
        "with the tool that can tell it, or answer.",
        "这里没有叫“{words}”的一项，也不需要更改什么。用户问的是：“{asked}”。请用能查到答案的工具查找，或直接回答。",
    ),
    "agenda.found_elsewhere": (
        "“{words}” does not tell what the user asks: “{asked}”. Find that out with the tool that can tell it.",
        "“{words}”答不了用户问的：“{asked}”。请用能查到答案的工具查找。",
    ),
    "agenda.note_instead": (
        "Nothing is to be changed about {entry}. The user wants something noted that is not there yet: {mend}",
        "不需要更改 {entry}。用户要记下的是一件新的事：{mend}",
    ),
    "agenda.there_already": (
        "It is there already: {entry}. What the user says of it means: {mend}",
        "已有这一项：{entry}。按用户的说法，应当是：{mend}",
    ),
    "agenda.none_to_remove": (
        "The user does not say that anything is to be removed, and nothing here is called “{words}”. To enter what the "
        "user wants: /{kind} add, with the thing itself.",
        "用户没有说要删除什么，这里也没有叫“{words}”的一项。要记下用户想要的事，请用 /{kind} add 加上那件事本身。",
    ),
    "agenda.known_former": ("before the last change it was {entry}", "上次修改之前是 {entry}"),
    "agenda.none_so_called": (
        "Nothing here is called “{words}”. If the user has that to do, note it, with its date if one was given: "
        "/todo add cancel {words}",
        "这里没有叫“{words}”的一项。如果这是用户要做的事，请记下来；如果说了日期，也加上日期：/todo add 取消{words}",
    ),
    "todo.not_said_done": (
        "The user does not say that this is done: {entry}. If nothing is asked for, answer in words.",
        "用户没有说这件事做完了：{entry}。如果没有要求做什么，直接回答即可。",
    ),
    "todo.to_be_changed": ("{note} It is changed with /todo edit {id}.", "{note}修改它请用 /todo edit {id}。"),
    "todo.is_appointment": (
        "This is an appointment, and appointments are not ticked off: {entry}. It stays as it is.",
        "这是日程，日程不用标记完成：{entry}。它保持不变。",
    ),
    "agenda.none_to_finish": (
        "The user does not say that anything is done, and nothing here is called “{words}”. To enter what the user has "
        "to do: /{kind} add, with the thing itself, and its date if one was given.",
        "用户没有说已经做完了什么，这里也没有叫“{words}”的一项。要记下用户要做的事，请用 /{kind} add 加上那件事本身；"
        "如果说了日期，也加上日期。",
    ),
    "agenda.new_instead": (
        "The user says nothing of this one: {entry}. What they say means: {mend}",
        "用户没有提到这一项：{entry}。按用户的说法，应当是：{mend}",
    ),
    "agenda.names_another": (
        "The user speaks of another one: {entry}. To change that one: {mend}",
        "用户说的是另一项：{entry}。要改那一项，请用：{mend}",
    ),
    "agenda.only_when": (
        "The user names this only to say when something else is: {entry}. It stays as it is. Enter the other thing "
        "with add, or change that one.",
        "用户提到这一项，只是为了说明另一件事的时间：{entry}。它保持不变。请用 add 记下另一件事，或修改那一件。",
    ),
    "agenda.only_when_over": (
        "{note} This one is over at {end}, which is the time of the other: --at {end}",
        "{note}这一项在 {end} 结束，另一件事就在那时：--at {end}",
    ),
    "agenda.of_another": (
        "That is about an entry which is there: {entry}. If the user wants it changed: /{kind} edit {id}",
        "这说的是已有的一项：{entry}。如果用户想修改：/{kind} edit {id}",
    ),
    "todo.lists_nothing": (
        "No todo is about “{words}”. If the user wants it on the list: /todo add {words}. To see the list: /todo list",
        "没有关于“{words}”的待办。如果用户想加到清单里：/todo add {words}。查看清单：/todo list",
    ),
    "todo.finds_nothing": (
        "There is no todo “{words}”: the user wants it added. Make the call: /todo add {words}, with --due if the user "
        "gave a date.",
        "没有待办“{words}”：用户想添加它。请调用：/todo add {words}；用户说了日期就加上 --due。",
    ),
    "schedule.finds_nothing": (
        "There is no appointment “{words}”: the user wants it entered. Make the call: /schedule add {words}, with --at "
        "if the user gave a time.",
        "没有日程“{words}”：用户想添加它。请调用：/schedule add {words}；用户说了时间就加上 --at。",
    ),
    "agenda.changes": (
        "The user does not call that off, but changes it: {entry}. What becomes of it stands behind this: {edit}",
        "用户没有取消这一项，而是要修改它：{entry}。要改成的内容写在这后面：{edit}",
    ),
    "agenda.left_alone": (
        "Nothing is to become of this one: {entry}. Leave it, and go on with the rest.",
        "这一项不用动：{entry}。继续做其余的。",
    ),
    "agenda.met_already": (
        "The user's words name what this run has ended already, and not this one: {entry}. Leave it, and go on.",
        "用户说的是已经处理好的那一项，不是这一项：{entry}。不要动它，继续做其余的。",
    ),
    "agenda.chosen": (
        "The user was asked which one, and means {entry}. This one stays as it is: {other}. Leave it, and go on.",
        "已经问过用户，指的是这一项：{entry}。另一项保持不变：{other}。不要动它，继续做其余的。",
    ),
    "agenda.corrects": (
        "The user corrects what was said before. Change the entry that is there in place of adding one: {entry}. The "
        "corrected words, or the option with the corrected date, stand behind this: {edit}",
        "用户在更正之前的话。请修改已有的这一项，不要新增：{entry}。更正后的内容，或带更正后日期的选项，写在这后面：{edit}",
    ),
    "agenda.nobodys_words": (
        "Nobody said “{words}”, so this stays as it is: {entry}. What it becomes is in the user's words.",
        "没有人说过“{words}”，所以这一项保持不变：{entry}。要改成什么，请看用户的话。",
    ),
    "agenda.corrected": (
        "The user corrects what was said before. Change the entry that is there: {entry}. The command is: {mend}",
        "用户在更正之前的话。请修改已有的这一项：{entry}。命令是：{mend}",
    ),
    "agenda.removed_now": (
        "This run has removed “{text}”, as the user wants. It is not added again.",
        "本次运行已按用户的要求删除“{text}”，不再添加。",
    ),
    "agenda.as_it_is": ("It is so already, and nothing is to be changed: {entry}", "已经是这样，无需修改：{entry}"),
    "agenda.off_instead": (
        "It is there already: {entry}. The user says that it is off. To remove it: {mend}",
        "已经是这样：{entry}。用户说的是取消。删除请用：{mend}",
    ),
    "agenda.moved_instead": (
        "The user gives another time for {entry}, and does not say that it is off. To move it: {mend}",
        "用户给出了新的时间，并没有说取消：{entry}。改期请用：{mend}",
    ),
    "agenda.added_now": (
        "This run has added it already: {entry}. It is not added again. Make the call for what is still to be done, if "
        "anything is.",
        "本次运行已添加：{entry}，不再重复添加。若还有别的事要做，请调用相应的命令。",
    ),
    "todo.ask_again": ("“{entry}” is on the list already. Is this another one?", "清单上已有“{entry}”，要再加一条吗？"),
    "todo.done_instead": (
        "The user does not say that this is to be removed, but that it is done: {entry}. To mark it: {mend}",
        "用户没有说要删除，而是说已经完成：{entry}。标记完成请用：{mend}",
    ),
    "schedule.not_off": (
        "The user does not say that this is to be removed: {entry}. To remove it all the same, make the call again.",
        "用户没有说要删除：{entry}。如果仍要删除，请再次调用。",
    ),
    "todo.not_off_done": (
        "The user does not say that this is to be removed: {entry}. It is marked as done. If it is not: {mend}. To "
        "remove it all the same, make the call again.",
        "用户没有说要删除：{entry}。它已标记为完成。如果其实没有完成，请用：{mend}。如果仍要删除，请再次调用。",
    ),
    "todo.not_off": (
        "The user does not say that this is to be removed: {entry}. If it is done: {mend}. To remove it all the same, "
        "make the call again.",
        "用户没有说要删除：{entry}。如果已经完成，请用：{mend}。如果仍要删除，请再次调用。",
    ),
    "todo.unused_date": (
        "The user gave a date with it. Make the call again with {due}; or the same call, if the date is of "
        "something else.",
        "用户说了日期。请加上 {due} 再次调用；如果日期与此无关，请原样再次调用。",
    ),
    "todo.ask_text": ("what should be on the todo list?", "要记下的待办是什么？"),
    "todo.ask_which": ("which todo do you mean?\n{entries}", "您指的是哪一个待办？\n{entries}"),
    "schedule.ask_text": ("what is the appointment?", "要安排的日程是什么？"),
    "schedule.ask_which": ("which appointment do you mean?\n{entries}", "您指的是哪一个日程？\n{entries}"),
    "agenda.ask_no_such": (
        "there is no such day or time: “{words}”. When is it?",
        "没有“{words}”这个日期或钟点。是什么时候？",
    ),
    "agenda.ask_backwards": (
        "“{words}” ends before it begins. From when until when is it?",
        "“{words}”的结束早于开始。是从几点到几点？",
    ),
    "agenda.ask_over": (
        "{time} today is over already. On which day is it?",
        "今天 {time} 已经过了。是哪一天？",
    ),
    "agenda.ask_rest": ("“{begun} …”: what was the rest?", "“{begun}……”后面是什么？"),
    "agenda.ask_new_name": ("what is the new name? It is now {entry}", "新的名称是什么？现在是：{entry}"),
    "schedule.ask_when": (
        "when is “{text}”? Give the day and the time of day.",
        "“{text}”安排在什么时候？请给出日期和钟点。",
    ),
    "schedule.ask_day": ("on which day is “{text}” at {time}?", "{time} 的“{text}”是哪一天？"),
    "schedule.ask_time": ("at what time is “{text}” on {date}?", "{date} 的“{text}”安排在几点？"),
    "schedule.ask_new_time": (
        "to when should this be moved: {entry}? Give the day, the time of day, or both.",
        "改到什么时候：{entry}？请给出日期、钟点或两者。",
    ),
    "todo.ask_new_time": (
        "by when should this be done now: {entry}? Give the day, and a time of day if it matters.",
        "截止时间改到什么时候：{entry}？请给出日期，需要时再加钟点。",
    ),
    "schedule.is_due": (
        "The user says by when it has to be done, and no time at which it is. That is a todo: {command}",
        "用户说的是截止日期，没有说在几点。这是待办：{command}",
    ),
}
