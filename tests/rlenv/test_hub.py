"""What is asked of the hub where there is none."""

import socket
from pathlib import Path

import pytest

from rlenv.door.hub import asking_hub

constants = pytest.importorskip("huggingface_hub.constants", reason="needs the extra train or data")


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr("rlenv.door.hub.getproxies", dict)


def unknown(*_: object) -> None:
    raise socket.gaierror(-2, "Name or service not known")


def test_where_its_name_is_not_known_its_libraries_look_at_this_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with asking_hub("some/model"):
        assert constants.is_offline_mode()
    assert not constants.is_offline_mode()


def test_where_it_is_there_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: [])
    with asking_hub("some/model"):
        assert not constants.is_offline_mode()


def test_behind_a_proxy_the_name_need_not_be_known_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setattr("rlenv.door.hub.getproxies", lambda: {"https": "http://proxy:3128"})
    with asking_hub("some/model"):
        assert not constants.is_offline_mode()


def test_a_folder_is_no_question_for_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with asking_hub(str(tmp_path)):
        assert not constants.is_offline_mode()
