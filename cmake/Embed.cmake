# rangefinder_embed(TARGET FUNCTION ROOT FILE...)
#
# Puts FILEs (paths below ROOT) into TARGET byte for byte, by the assembler's
# .incbin, and generates `std::span<const EmbeddedFile> FUNCTION()`, which lists
# them sorted by path. A header of the module declares FUNCTION.
function(rangefinder_embed target function root)
  set(assembly "    .section .rodata\n")
  set(externs "")
  set(rows "")
  set(depends "")
  list(SORT ARGN)
  set(count 0)
  foreach(file IN LISTS ARGN)
    set(symbol "rangefinder_${function}_${count}")
    string(APPEND assembly
      "    .global ${symbol}_begin\n${symbol}_begin:\n"
      "    .incbin \"${root}/${file}\"\n"
      "    .global ${symbol}_end\n${symbol}_end:\n    .byte 0\n")
    string(APPEND externs
      "extern const char ${symbol}_begin[], ${symbol}_end[];\n")
    string(APPEND rows
      "      {\"${file}\", {${symbol}_begin, ${symbol}_end}},\n")
    list(APPEND depends "${root}/${file}")
    math(EXPR count "${count} + 1")
  endforeach()
  string(APPEND assembly "    .section .note.GNU-stack,\"\",@progbits\n")
  set(base "${CMAKE_CURRENT_BINARY_DIR}/embed/${function}")
  file(CONFIGURE OUTPUT "${base}.S" CONTENT "${assembly}" @ONLY)
  file(CONFIGURE OUTPUT "${base}.cc" @ONLY CONTENT
"#include \"base/embedded.h\"

extern \"C\" {
${externs}}

namespace rangefinder {
std::span<const EmbeddedFile> ${function}();
std::span<const EmbeddedFile> ${function}() {
  static const EmbeddedFile files[] = {
${rows}  };
  return files;
}
}  // namespace rangefinder
")
  set_source_files_properties("${base}.S" PROPERTIES OBJECT_DEPENDS "${depends}")
  target_sources(${target} PRIVATE "${base}.S" "${base}.cc")
endfunction()
