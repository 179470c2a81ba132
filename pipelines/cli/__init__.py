"""The command line, a module for each command: how it is called. ``pipelines.commands`` does the work."""

from pipelines.cli.app import app as app
from pipelines.cli.app import main as main
