"""A dossier without other patrons' identities."""

from dataclasses import dataclass, replace

from dashboards.packets.gather import Dossier
from replay import narrative
from warehouse import redaction


@dataclass(frozen=True)
class Withheld:
    """Patrons withheld from a packet, with the label that replaces each."""

    key: bytes
    round_id: str
    keep: str | None  # the complainant, who stays
    labels: dict[str, str]  # by patron

    def commitments(self) -> list[dict[str, str]]:
        """Return the salted hash of each withheld patron, with the label."""
        return [{"label": label, "salted_sha256": self._of(label, patron)} for patron, label in self.labels.items()]

    def _of(self, label: str, patron: str) -> str:
        return redaction.salted(self.key, self.round_id, label, patron.encode())

    def of_line(self, path: str, line: int, content: bytes) -> str:
        """The salted hash of a line left out."""
        return redaction.salted(self.key, self.round_id, f"{path}:{line}", content)


def withhold(dossier: Dossier, keep: str | None) -> tuple[Dossier, Withheld]:
    """The dossier with labels in place of all patrons but one."""
    others = [patron for patron in dossier.patrons if patron != keep]
    labels = {patron: f"withheld-{number}" for number, patron in enumerate(others, 1)}
    withheld = Withheld(redaction.lake_key(dossier.place.lake.path), dossier.place.round_id, keep, labels)
    retold = dossier.retold.with_patrons(labels)
    settled = [{**row, "patron": labels.get(row["patron"], row["patron"])} for row in dossier.settlements]
    account = narrative.account(retold.audit, dossier.place.name)
    return replace(dossier, retold=retold, account=account, settlements=settled), withheld
