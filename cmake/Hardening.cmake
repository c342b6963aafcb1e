# What keeps a memory error from becoming an attacker's code. The linker's part
# is in every build; the compiler's part in the portable build, whose files are
# released. tools/check_hardening.py checks both.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)
if(RANGEFINDER_PORTABLE AND NOT RANGEFINDER_FUZZERS)
  add_compile_options(-fstack-protector-strong -fstack-clash-protection
                      -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
