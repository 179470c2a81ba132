"""The command that serves the dashboards."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import FAILED, complain, fail


def serve(
    lake: Annotated[Path, typer.Option(metavar="LAKE", help="The lake to show.")],
    landing: Annotated[
        Path | None,
        typer.Option(metavar="LANDING", help="Landing zone, to show films that the lake keeps no copy of."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen at. Others than your own machine need TLS.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 for any that is free.")] = 8021,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|URL",
            help="Database of accounts and cases: a SQLite file, or postgresql://...",
            show_default="LAKE/cases.db",
        ),
    ] = None,
    deadlines: Annotated[
        Path | None, typer.Option(metavar="TOML", help="Days that each rulebook's jurisdiction sets for disputes.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the app in a browser.")] = False,
    show_live_shoes: Annotated[
        bool, typer.Option("--show-live-shoes", help="Show card counts of shoes that are still in play.")
    ] = False,
    certificate: Annotated[
        Path | None, typer.Option(metavar="PEM", help="Certificate for https, with its chain; needs --key.")
    ] = None,
    key: Annotated[Path | None, typer.Option(metavar="PEM", help="The certificate's private key.")] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="Name by which browsers reach the server; may be repeated."),
    ] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="Believe a proxy on this machine about addresses and https.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=64, help="Processes that answer.", show_default="one per processor, up to 4"),
    ] = None,
) -> None:
    """Serve the dashboards: triage, rounds, tables, audit, cases.

    Every user has an account. The first one is asked for on a
    terminal; without one, a link is printed that makes it and works once.

    It reads published snapshots only, so it may run beside audit21 run.
    """
    from dashboards import serve as command
    from pipelines.custody import lines

    request = command.ServeRequest(
        lake=lake,
        host=host,
        port=port,
        database=database,
        open_browser=open_browser,
        show_live_shoes=show_live_shoes,
        certificate=certificate,
        key=key,
        names=tuple(name or ()),
        behind_proxy=behind_proxy,
        landing=landing,
        deadlines=deadlines,
        text_of=lines.of_parquet,
        workers=workers or command.usual_workers(),
    )
    try:
        command.run(request)
    except command.ServeRefused as error:
        fail(str(error))
    except command.Failed as error:
        complain(str(error))
        raise typer.Exit(FAILED) from None
