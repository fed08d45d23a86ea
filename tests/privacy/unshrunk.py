"""A plugin of pytest where a test is to fail: Hypothesis looks for an example, and not then for the least one."""

from hypothesis import Phase, settings

settings.register_profile("unshrunk", phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.target))
settings.load_profile("unshrunk")
