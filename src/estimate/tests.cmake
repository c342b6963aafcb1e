# Simulations are most of the tests' time, and Eigen's intrinsics cannot be
# compiled after headers that were compiled with other optimisation.
set_target_properties(estimate_tests PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
target_compile_options(estimate_tests PRIVATE $<$<CONFIG:Release>:-O1>)
