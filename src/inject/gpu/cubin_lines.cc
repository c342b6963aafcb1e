#include "inject/gpu/cubin_lines.h"

#include <elf.h>
#include <string.h>

namespace rangefinder::inject {
namespace {

// The bytes from `at` on, at most `size`; empty if `bytes` ends before.
std::string_view Part(std::string_view bytes, std::uint64_t at,
                      std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return {};
  return bytes.substr(at, size);
}

// False: `bytes` ends within the value.
template <typename Value>
bool ReadAt(std::string_view bytes, std::uint64_t at, Value& value) {
  const std::string_view part = Part(bytes, at, sizeof value);
  if (part.empty()) return false;
  memcpy(&value, part.data(), sizeof value);
  return true;
}

std::string_view TextAt(std::string_view table, std::uint64_t at) {
  if (at >= table.size()) return {};
  table.remove_prefix(at);
  return table.substr(0, table.find('\0'));
}

// The unread rest of a line table. After a premature end all reads give 0, and
// ok() is false.
class Cursor {
 public:
  Cursor(std::string_view table, std::uint64_t at, std::uint64_t end)
      : table_(table.substr(0, end)), at_(at) {}

  bool ok() const { return ok_; }
  bool more() const { return ok_ && at_ < table_.size(); }
  std::uint64_t at() const { return at_; }
  void GoTo(std::uint64_t at) {
    ok_ = ok_ && at >= at_ && at <= table_.size();
    if (ok_) at_ = at;
  }
  template <typename Value>
  Value Read() {
    Value value{};
    ok_ = ok_ && ReadAt(table_, at_, value);
    if (ok_) at_ += sizeof value;
    return ok_ ? value : Value{};
  }
  std::string_view Text() {
    const std::string_view text = TextAt(table_, at_);
    GoTo(at_ + text.size() + 1);
    return ok_ ? text : std::string_view();
  }
  std::uint64_t Unsigned() { return Leb128(false); }
  // A signed number, in two's complement.
  std::uint64_t Signed() { return Leb128(true); }

 private:
  std::uint64_t Leb128(bool is_signed) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = Read<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7FU} << shift;
      if ((byte & 0x80) != 0) continue;
      if (is_signed && (byte & 0x40) != 0 && shift + 7 < 64)
        value |= ~std::uint64_t{0} << (shift + 7);
      return value;
    }
  }

  std::string_view table_;
  std::uint64_t at_ = 0;
  bool ok_ = true;
};

// A section of the cubin by its name or its number.
class Sections {
 public:
  explicit Sections(std::string_view cubin) : cubin_(cubin) {
    Elf64_Shdr names{};
    if (!ReadAt(cubin, 0, header_) ||
        memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
        header_.e_ident[EI_CLASS] != ELFCLASS64 ||
        !At(header_.e_shstrndx, names)) {
      header_.e_shnum = 0;
      return;
    }
    names_ = Content(names);
  }

  bool At(std::uint32_t number, Elf64_Shdr& section) const {
    return number < header_.e_shnum &&
           ReadAt(cubin_, header_.e_shoff + number * sizeof section, section);
  }
  bool Find(std::string_view name, Elf64_Shdr& section) const {
    for (std::uint32_t i = 1; i < header_.e_shnum; ++i) {
      if (At(i, section) && TextAt(names_, section.sh_name) == name)
        return true;
    }
    return false;
  }
  std::string_view Content(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS) return {};
    return Part(cubin_, section.sh_offset, section.sh_size);
  }

 private:
  std::string_view cubin_;
  Elf64_Ehdr header_{};
  std::string_view names_{};
};

// The kernels at the addresses of the line table.
class Kernels {
 public:
  explicit Kernels(const Sections& sections) {
    Elf64_Shdr relocations{}, symbols{}, names{};
    if (!sections.Find(".rela.debug_line", relocations) ||
        !sections.At(relocations.sh_link, symbols) ||
        !sections.At(symbols.sh_link, names)) {
      return;
    }
    relocations_ = sections.Content(relocations);
    symbols_ = sections.Content(symbols);
    names_ = sections.Content(names);
  }

  // The kernel whose address is at `at` in the line table; empty: none. Line
  // tables ask in the order in which their relocations are stored.
  std::string_view At(std::uint64_t at) {
    const std::uint64_t count = relocations_.size() / sizeof(Elf64_Rela);
    for (std::uint64_t i = 0; i < count; ++i, next_ = (next_ + 1) % count) {
      Elf64_Rela one{};
      if (ReadAt(relocations_, next_ * sizeof one, one) && one.r_offset == at)
        return NameOf(ELF64_R_SYM(one.r_info));
    }
    return {};
  }

 private:
  std::string_view NameOf(std::uint64_t symbol) const {
    Elf64_Sym found{};
    if (symbol > symbols_.size() ||
        !ReadAt(symbols_, symbol * sizeof found, found) ||
        ELF64_ST_TYPE(found.st_info) != STT_FUNC) {
      return {};
    }
    return TextAt(names_, found.st_name);
  }

  std::string_view relocations_{}, symbols_{}, names_{};
  std::uint64_t next_ = 0;
};

// One unit of the line table: its header, then the program that makes rows.
class Unit {
 public:
  Unit(std::string_view table, std::uint64_t at, std::uint64_t end)
      : table_(table.substr(0, end)), read_(table, at, end) {}

  // `ask(place of the address)` gives the kernel of a sequence of rows.
  template <typename Ask, typename Take>
  void Run(Ask ask, Take take) {
    if (!ReadHeader()) return;
    KernelLine row;
    std::uint64_t file = 1;
    const auto restart = [&] {
      row = {.line = 1};
      file = 1;
    };
    restart();
    // The first row of a sequence is the kernel's first instruction.
    const auto emit = [&] {
      if (row.kernel.empty()) return;
      if (FindFile(file, row)) take(row);
      row.kernel = {};
    };
    while (read_.more()) {
      const auto opcode = read_.Read<std::uint8_t>();
      if (opcode >= opcode_base_) {
        row.line += static_cast<std::uint64_t>(
            std::int64_t{line_base_} + (opcode - opcode_base_) % line_range_);
        emit();
        continue;
      }
      switch (opcode) {
        case 0: {  // extended
          const std::uint64_t size = read_.Unsigned();
          const std::uint64_t end = read_.at() + size;
          const auto what = read_.Read<std::uint8_t>();
          if (what == kEndSequence) restart();
          if (what == kSetAddress) row.kernel = ask(read_.at());
          if (size == 0 || end < size) return;
          read_.GoTo(end);
          break;
        }
        case kCopy:
          emit();
          break;
        case kAdvanceLine:
          row.line += read_.Signed();
          break;
        case kSetFile:
          file = read_.Unsigned();
          break;
        case kFixedAdvance:
          read_.Read<std::uint16_t>();
          break;
        default:
          for (int i = 0; i < operands_[opcode]; ++i) read_.Unsigned();
      }
    }
  }

 private:
  enum : std::uint8_t {
    kCopy = 1,
    kAdvanceLine = 3,
    kSetFile = 4,
    kFixedAdvance = 9,
  };
  enum : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };  // extended

  bool ReadHeader() {
    const auto version = read_.Read<std::uint16_t>();
    if (version < 2 || version > 4) return false;
    const auto header_size = read_.Read<std::uint32_t>();
    const std::uint64_t program = read_.at() + header_size;
    read_.Read<std::uint8_t>();                    // smallest instruction
    if (version >= 4) read_.Read<std::uint8_t>();  // operations in one
    read_.Read<std::uint8_t>();                    // is_stmt
    line_base_ = read_.Read<std::int8_t>();
    line_range_ = read_.Read<std::uint8_t>();
    opcode_base_ = read_.Read<std::uint8_t>();
    if (line_range_ == 0 || opcode_base_ == 0) return false;
    for (int i = 1; i < opcode_base_; ++i)
      operands_[i] = read_.Read<std::uint8_t>();
    directories_ = read_.at();
    read_.GoTo(program);
    return read_.ok();
  }

  // Entries of the file table name their directory by its number, from 1.
  bool FindFile(std::uint64_t number, KernelLine& row) const {
    Cursor read(table_, directories_, table_.size());
    while (!read.Text().empty()) {
    }
    std::uint64_t directory = 0;
    for (std::uint64_t i = 1; i <= number; ++i) {
      row.file = read.Text();
      if (row.file.empty()) return false;
      directory = read.Unsigned();
      read.Unsigned();  // time
      read.Unsigned();  // size
    }
    row.directory = {};
    Cursor again(table_, directories_, table_.size());
    for (std::uint64_t i = 1; i <= directory; ++i) {
      row.directory = again.Text();
      if (row.directory.empty()) return false;
    }
    return true;
  }

  std::string_view table_;
  Cursor read_;
  std::uint64_t directories_ = 0;
  std::int8_t line_base_ = 0;
  std::uint8_t line_range_ = 1, opcode_base_ = 1;
  std::uint8_t operands_[256] = {};
};

}  // namespace

void ForEachKernelLine(std::string_view cubin,
                       void (*take)(void* context, const KernelLine& place),
                       void* context) {
  const Sections sections(cubin);
  Elf64_Shdr lines{};
  if (!sections.Find(".debug_line", lines)) return;
  const std::string_view table = sections.Content(lines);
  Kernels kernels(sections);
  std::uint64_t at = 0;
  std::uint32_t size = 0;
  while (ReadAt(table, at, size)) {
    at += sizeof size;
    if (size == 0 || size > table.size() - at) return;
    Unit(table, at, at + size)
        .Run([&](std::uint64_t place) { return kernels.At(place); },
             [&](const KernelLine& row) { take(context, row); });
    at += size;
  }
}

}  // namespace rangefinder::inject
