"""The version of rlenv, for what says it and may not import the whole package."""

VERSION = "0.1.0"
