"""An independent adversary for the audit: plays rounds by its own rules code and writes a landing zone with the truth.

It was written from the contract and the rule texts alone, by somebody who never saw the audit's code. It imports
nothing of replay, vision, warehouse, pipelines or dashboards, so that a mistake in one is not repeated in the other.
"""
