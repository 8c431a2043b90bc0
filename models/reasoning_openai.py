"""`ReasoningChatOpenAI`: LangChain's `ChatOpenAI`, but it keeps the reasoning.

This module imports OpenAI's client, so it is imported only when such a model is needed.
"""

# The overridden methods of ChatOpenAI are typed with bare dicts.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, cast

from langchain_core.exceptions import ModelAPIError, ModelError
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import APIError, OpenAIError, pydantic_function_tool
from pydantic import BaseModel, ValidationError

from .messages import REASONING_FIELDS, hold_usage
from .streams.chunks import Spent
from .streams.finish import Ending
from .streams.no_reply import fault_in, made_of
from .streams.whole_answers import hearing
from .streams.written_calls import WrittenCalls
from .transport import is_refused_form, is_transport_error


class ReasoningChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` for OpenAI-compatible servers of thinking models, with the reasoning kept.

    Such servers (llama.cpp, vLLM, OpenRouter, …) send `reasoning_content` or `reasoning` next to `content`, and
    `ChatOpenAI` drops it. This class puts it in the message's `additional_kwargs["reasoning_content"]`, for whole and
    streamed replies. Everything else, arguments included, is as in `ChatOpenAI`.

    An answer that is not a chat completion raises LangChain's `ModelAPIError`, which says that another try may help,
    instead of whatever error it happens to cause inside `ChatOpenAI`. If a reply under a `response_format`, a schema or
    a pydantic class, was cut off or filtered, it is returned unchanged, with its `finish_reason`.

    A reply that is nothing but calls of bound tools, as JSON text, becomes these calls: small models leave out the
    marks by which a server knows a call.

    Attributes:
        echo_reasoning: send back the reasoning of the model's earlier turns, if the messages carry it. Some servers
            require it, others refuse it.

    Example:
        >>> model = ReasoningChatOpenAI(base_url="http://localhost:8000/v1", model="qwen3", api_key="none")
        >>> model.invoke("Why?").additional_kwargs["reasoning_content"]              # doctest: +SKIP
    """

    echo_reasoning: bool = False

    @classmethod
    def get_lc_namespace(cls) -> list[str]:
        """Where LangChain's `load` finds the class."""
        return cls.__module__.split(".")

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        try:
            for message in (_get(choice, "message") for choice in _get(response, "choices") or ()):
                if isinstance(message, BaseModel) and not _get(message, "role"):
                    cast(Any, message).role = "assistant"
            if fault := fault_in(response):
                raise ValueError(fault)
            result = made_of(super()._create_chat_result, response, generation_info)
        except Exception as problem:
            raise _no_completion(problem) from problem
        if not result.generations:
            raise ModelAPIError("the server's answer holds no choice")
        for generation, choice in zip(result.generations, _get(response, "choices"), strict=True):
            _keep(generation.message, _get(choice, "message"))
        return result

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type[Any], base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        try:
            if fault := fault_in(chunk):
                raise ValueError(fault)
            # LangChain passes over one without a delta, with the reason why the reply ended, and the usage.
            choices = [{**choice, "delta": choice.get("delta") or {}} for choice in chunk.get("choices") or ()]
            if (self.n or 1) > 1:  # They come in turns; of a whole reply the first is read, too.
                choices = [choice for choice in choices if not choice.get("index")]
            chunk = {**chunk, "choices": choices}
            convert = super()._convert_chunk_to_generation_chunk
            generation = made_of(convert, chunk, default_chunk_class, base_generation_info)
        except Exception as problem:
            raise _no_completion(problem) from problem
        if generation is not None:
            _keep(generation.message, choices[0]["delta"] if choices else {})
        return generation

    @property
    def _default_params(self) -> dict[str, Any]:
        # A stream asks for itself; LangChain has `streaming` ask for one where `disable_streaming` rules it out.
        return {**super()._default_params, "stream": False}

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        wanted, calls = _Wanted(kwargs), WrittenCalls(kwargs)
        with _reading_whole():
            return calls.in_result(wanted.in_result(super()._generate(*args, **kwargs)))

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        wanted, calls = _Wanted(kwargs), WrittenCalls(kwargs)
        with _reading_whole():
            return calls.in_result(wanted.in_result(await super()._agenerate(*args, **kwargs)))

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        wanted, calls, spent = _Wanted(kwargs), WrittenCalls(kwargs), Spent(so_far=True)
        with _reading_stream():
            for chunk in self._reading(kwargs)._chunks(*args, **kwargs):
                yield from calls.seen(wanted.seen(_newly_spent(spent, chunk)))
        yield from (*calls.at_the_end(), *wanted.at_the_end())

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        wanted, calls, spent = _Wanted(kwargs), WrittenCalls(kwargs), Spent(so_far=True)
        with _reading_stream():
            async for chunk in self._reading(kwargs)._achunks(*args, **kwargs):
                for ready in calls.seen(wanted.seen(_newly_spent(spent, chunk))):
                    yield ready
        for chunk in (*calls.at_the_end(), *wanted.at_the_end()):
            yield chunk

    def _reading(self, kwargs: Mapping[str, Any]) -> ReasoningChatOpenAI:
        """This model, which knows how many choices a request asks for, and hears what is said in place of a stream."""
        return self.model_copy(update={"n": kwargs.get("n") or self.n, **hearing(self)})

    def _should_stream_usage(self, stream_usage: bool | None = None, **kwargs: Any) -> bool:
        """Where there is a `base_url`, LangChain asks for no usage of a stream: budgets would not hold."""
        asks = self._asks_for_usage({**kwargs, "stream_usage": stream_usage})
        return asks or super()._should_stream_usage(stream_usage, **kwargs)

    def _asks_for_usage(self, kwargs: Mapping[str, Any]) -> bool:
        """Whether usage is asked for though the user has not said so."""
        options = {**self.model_kwargs, **kwargs}
        unsaid = self.stream_usage is None and options.get("stream_usage") is None and "stream_options" not in options
        # The Responses API always tells it, and its client raises over the wish.
        return unsaid and not self._asks_responses(kwargs) and self.openai_api_base not in _WITHOUT_USAGE

    def _asks_responses(self, kwargs: Mapping[str, Any]) -> bool:
        return self._use_responses_api({**kwargs, **self.model_kwargs})

    def _chunks(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        """The stream with its usage, or without, if the server refuses to be asked for it."""
        asks, ending = self._asks_for_usage(kwargs), Ending(told=self._asks_responses(kwargs))
        try:
            for chunk in super()._stream(*args, **kwargs):
                ending.seen(chunk)
                yield chunk
        except Exception as refused:
            if ending.begun or not asks or not _over_usage(refused):
                raise
            for chunk in super()._stream(*args, **{**kwargs, "stream_usage": False}):
                _WITHOUT_USAGE.add(self.openai_api_base)
                yield chunk
        else:
            ending.check()

    async def _achunks(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        asks, ending = self._asks_for_usage(kwargs), Ending(told=self._asks_responses(kwargs))
        try:
            async for chunk in super()._astream(*args, **kwargs):
                ending.seen(chunk)
                yield chunk
        except Exception as refused:
            if ending.begun or not asks or not _over_usage(refused):
                raise
            async for chunk in super()._astream(*args, **{**kwargs, "stream_usage": False}):
                _WITHOUT_USAGE.add(self.openai_api_base)
                yield chunk
        else:
            ending.check()

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        if isinstance(payload.get("response_format"), dict):
            # With a `response_format`, OpenAI's client raises if a reply was cut off or filtered. In the extra body the
            # server still receives it, but the client leaves the reply alone.
            extra = {"response_format": payload.pop("response_format")}
            payload["extra_body"] = {**(payload.get("extra_body") or {}), **extra}
        if self.echo_reasoning:
            messages = self._convert_input(input_).to_messages()
            # OpenAI's newer API has no such messages.
            for message, sent in zip(messages, payload.get("messages") or [], strict=False):
                if isinstance(message, AIMessage):
                    kept = message.additional_kwargs
                    sent.update({field: kept[field] for field in REASONING_FIELDS if field in kept})
        return payload


_WITHOUT_USAGE: set[str | None] = set()
"""Addresses of servers that refuse `stream_options`."""


def _over_usage(refused: Exception) -> bool:
    """Whether a request may have been refused for asking for the usage; not every server says so by name."""
    return "stream_options" in str(refused) or is_refused_form(refused)


def _newly_spent(spent: Spent, chunk: ChatGenerationChunk) -> ChatGenerationChunk:
    """A chunk with only the usage that it adds: some servers report the usage so far with every chunk."""
    if isinstance(chunk.message, AIMessageChunk):
        chunk.message.usage_metadata = spent.newly(chunk.message.usage_metadata)
    return chunk


class _Wanted:
    """The pydantic class of a `response_format`: its schema takes its place, and the reply is parsed here.

    OpenAI's client would parse it, too, but raises if the reply was cut off or filtered.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        given = options.get("response_format")
        self._class: type[BaseModel] | None = None
        self._text = ""
        if isinstance(given, type) and issubclass(given, BaseModel):
            self._class = given
            described = pydantic_function_tool(given)["function"]
            schema = {"name": described["name"], "schema": described.get("parameters"), "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}

    def _parsed(self, text: str) -> dict[str, Any]:
        """What `with_structured_output` reads; nothing if the reply does not fit."""
        with suppress(ValidationError):
            return {"parsed": self._class.model_validate_json(text)} if self._class else {}
        return {}

    def in_result(self, result: ChatResult) -> ChatResult:
        for generation in result.generations:
            generation.message.additional_kwargs |= self._parsed(generation.message.text)
        return result

    def seen(self, chunk: ChatGenerationChunk) -> ChatGenerationChunk:
        if self._class:
            self._text += chunk.text
            # LangChain may add a dict, with which an object cannot be merged.
            chunk.message.additional_kwargs.pop("parsed", None)
        return chunk

    def at_the_end(self) -> Iterator[ChatGenerationChunk]:
        if parsed := self._parsed(self._text):
            yield ChatGenerationChunk(message=AIMessageChunk(content="", additional_kwargs=parsed))


@contextmanager
def _reading_whole() -> Generator[None]:
    """Separate unreadable answers from program errors: LangChain attaches the response only to the former."""
    try:
        yield
    except (ModelError, OpenAIError):
        raise
    except Exception as problem:
        if (response := getattr(problem, "response", None)) is None:
            raise
        raise _no_completion(problem, getattr(response, "text", "")) from problem


@contextmanager
def _reading_stream() -> Generator[None]:
    """The same for a stream, by error type: a wrong argument raises `TypeError`, which passes through."""
    try:
        yield
    except (AttributeError, RecursionError, ValueError) as problem:
        raise _no_completion(problem) from problem


def _no_completion(problem: Exception, answer: str = "") -> ModelAPIError | APIError:
    # What else is raised tells only what the code that reads an answer stumbled over.
    said = f"{type(problem).__name__}: {problem}" if isinstance(problem, ValueError) or not answer else answer.strip()
    words = f"the server's answer is no chat completion ({said[:240]})"
    # Over the server's own error, maybe a refusal under a success, this is what OpenAI's client raises in a stream.
    error = APIError(words, cast(Any, None), body=next(iter(problem.args), None))
    return ModelAPIError(words) if is_transport_error(error) else error


def _keep(message: BaseMessage, raw: Any) -> None:
    """Copy the server's reasoning onto the message, and a refusal in its place, and clean up its usage."""
    for field in REASONING_FIELDS:
        if isinstance(value := _get(raw, field), str) and value:
            message.additional_kwargs["reasoning_content"] = value
            break
    # Of a whole reply LangChain keeps it, of a streamed one it does not.
    if isinstance(refusal := _get(raw, "refusal"), str) and refusal:
        message.additional_kwargs["refusal"] = refusal
    hold_usage(message)


def _get(raw: Any, name: str) -> Any:
    """A field of an answer's part, which OpenAI's client returns as an object, or as a dict if it does not validate."""
    return raw.get(name) if isinstance(raw, dict) else getattr(raw, name, None)
