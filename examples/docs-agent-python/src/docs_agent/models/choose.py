"""Which chat model answers."""

import importlib
import logging
import os
from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from docs_agent.models.extractive_chat_model import ExtractiveChatModel
from docs_agent.settings import Context

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Provider:
    package: str
    model_class: str
    key: str
    model: str


#: A provider's package is loaded only when it is used, so that the agent runs without any of them.
_PROVIDERS = {
    "anthropic": _Provider("langchain-anthropic", "ChatAnthropic", "ANTHROPIC_API_KEY", "claude-haiku-4-5"),
    "openai": _Provider("langchain-openai", "ChatOpenAI", "OPENAI_API_KEY", "gpt-5-mini"),
}


class MissingPackage(Exception):
    pass


def choose_model(settings: Context) -> BaseChatModel:
    """
    The chat model that a run's settings ask for. With `auto`: the first provider whose key is in the environment, or
    the extractive model, which needs none.

    Raises ValueError or MissingPackage when a provider is asked for by name and its key or its package is missing.
    """
    extractive = ExtractiveChatModel(token_delay_ms=settings.token_delay_ms)
    if settings.model == "extractive":
        return extractive
    if settings.model == "auto":
        provider = next((each for each in _PROVIDERS.values() if os.environ.get(each.key)), None)
        if provider is None:
            return extractive
        try:
            return _provider_model(provider, provider.model)
        except MissingPackage as missing:
            _log.warning("%s Until then the extractive model answers.", missing)
            return extractive
    name, _, model = settings.model.partition(":")
    provider = _PROVIDERS[name]
    if not os.environ.get(provider.key):
        raise ValueError(f"model: {settings.model} needs {provider.key} in the environment.")
    return _provider_model(provider, model)


def _provider_model(provider: _Provider, model: str) -> BaseChatModel:
    module = provider.package.replace("-", "_")
    try:
        model_class = getattr(importlib.import_module(module), provider.model_class)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise MissingPackage(f'To answer with {model}, run "pip install {provider.package}".') from error
    chosen: BaseChatModel = model_class(model=model)
    return chosen
