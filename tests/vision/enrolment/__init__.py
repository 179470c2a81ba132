"""Tests of vision/enrolment."""
