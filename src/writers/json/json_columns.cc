#include "writers/json/json_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/json_text.h"
#include "base/lists.h"
#include "report/sentences.h"
#include "writers/json/json_cells.h"

namespace rangefinder {
namespace {

// Columns that are gathered together: the cells of a list are adjacent in
// memory, so one column at a time would read each list once per metric.
constexpr std::size_t kTogether = 8;
// Most lists of form numbers that are kept for comparison.
constexpr std::size_t kMostKept = 4 << 20;
// A report with at most this many cells has all of them in place: about 10 MB
// of JSON.
constexpr std::uint64_t kMostCellsInPlace = 50000;

// Cells are counted as scopes times lists of cells times metrics. The lists of
// a region are its inclusive values, its exclusive values, and those of each of
// its kernel rows. Attributes of the device are written with the totals only
// and do not count.
bool HasFewCells(const Report& report) {
  const auto metrics = static_cast<std::uint64_t>(
      std::ranges::count_if(report.rollup->columns, [](const Column& column) {
        return !column.name.starts_with("device__attribute_");
      }));
  std::uint64_t lists = 0;
  for (const ScopeRollup& scope : report.rollup->scopes) {
    ++lists;
    for (const auto& [id, region] : scope.regions.there()) {
      lists += 2 + region.all_kernels().size() + region.measured.size();
      if (lists * metrics > kMostCellsInPlace) return false;
    }
  }
  return true;
}

// ---- Lists of cells ---------------------------------------------------------

// The form of a cell: its members besides numbers (how, rule, counts of
// measurements). Words are compared by the address of their text, their only
// member: equal texts may give two forms, which mean the same.
using FormKey = std::array<std::uint64_t, 8>;

FormKey FormOf(const Cell& cell) {
  const auto place = [](const Word& word) {
    return std::bit_cast<std::uint64_t>(word);
  };
  return {Index(cell.how),    Index(cell.bound),  place(cell.rule),
          place(cell.weight), place(cell.reason), cell.present,
          cell.missing,       cell.distinct};
}

std::uint64_t Mixed(std::uint64_t hash, std::uint64_t number) {
  hash = (hash ^ number) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 29;
}

struct NumbersHash {
  template <typename Numbers>
  std::size_t operator()(const Numbers& numbers) const {
    std::uint64_t hash = numbers.size();
    for (const std::uint64_t number : numbers) hash = Mixed(hash, number);
    return hash;
  }
};

// NaN is equal to itself here.
auto Content(const Cell& cell) {
  return std::tuple(FormOf(cell), cell.is_text, cell.has_spread,
                    std::bit_cast<std::uint64_t>(cell.value), Index(cell.text),
                    std::bit_cast<std::uint64_t>(cell.low),
                    std::bit_cast<std::uint64_t>(cell.high),
                    std::bit_cast<std::uint32_t>(cell.error));
}

struct SameContent {
  bool operator()(const Cells* a, const Cells* b) const {
    return std::ranges::equal(*a, *b, {}, Content, Content);
  }
};

// A hash of the numbers only: SameContent finds other differences.
struct CellsHash {
  std::size_t operator()(const Cells* cells) const {
    std::uint64_t hash = cells->size();
    for (const Cell& cell : *cells) {
      hash = Mixed(hash, std::bit_cast<std::uint64_t>(cell.value));
      hash = Mixed(hash, cell.present);
    }
    return hash;
  }
};

// The different lists of cells of a document: a region without inner regions
// has the same inclusive and exclusive values, and its only kernel has them
// too.
class CellLists {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // The number of the list; equal lists have the same number; kNone for an
  // empty list. Lists must outlive this object.
  std::uint32_t Add(const Cells& cells) {
    if (cells.empty()) return kNone;
    const auto next = static_cast<std::uint32_t>(lists_.size());
    const auto [place, is_new] = by_place_.try_emplace(cells.begin(), next);
    if (!is_new) return place->second;
    const auto [known, differs] = by_content_.try_emplace(&cells, next);
    if (differs) lists_.push_back(&cells);
    return place->second = known->second;
  }

  std::size_t size() const { return lists_.size(); }
  const Cells& operator[](std::size_t i) const { return *lists_[i]; }

 private:
  std::vector<const Cells*> lists_;  // by number, in the order of Add
  std::unordered_map<const Cell*, std::uint32_t> by_place_;
  std::unordered_map<const Cells*, std::uint32_t, CellsHash, SameContent>
      by_content_;
};

// ---- Forms of cells ---------------------------------------------------------

// The forms of cells, each once: a document has millions of cells and some
// dozens of forms.
class CellForms {
 public:
  // The last form: most cells have the form of the previous cell.
  struct Last {
    FormKey key{};
    std::uint32_t id = 0;
    bool known = false;
  };
  std::uint32_t IdOf(const Cell& cell, Last& last) {
    const FormKey key = FormOf(cell);
    if (last.known && key == last.key) return last.id;
    const auto next = static_cast<std::uint32_t>(firsts_.size());
    const auto [known, is_new] = ids_.try_emplace(key, next);
    if (is_new) firsts_.push_back(cell);
    last = {.key = key, .id = known->second, .known = true};
    return known->second;
  }

  // A JSON array of objects, by number.
  void Append(std::string& out) const {
    out += '[';
    for (const Cell& cell : firsts_) {
      if (&cell != &firsts_.front()) out += ",\n";
      out += '{';
      AppendOrigin(cell, CellDetail::kAll, out);
      AppendDistinct(cell, out);
      out += '}';
    }
    out += ']';
  }

 private:
  std::unordered_map<FormKey, std::uint32_t, NumbersHash> ids_;
  std::vector<Cell> firsts_;  // a cell of each form
};

// ---- Columns ----------------------------------------------------------------

bool SameValue(const Cell& a, const Cell& b) {
  if ((a.how == How::kAbsent) != (b.how == How::kAbsent)) return false;
  if (a.how == How::kAbsent) return true;
  if (a.is_text || b.is_text) return a.is_text == b.is_text && a.text == b.text;
  return a.value == b.value;
}

// The cells of one metric over all lists.
class ColumnText {
 public:
  ColumnText(const Profile& profile, CellForms& forms)
      : profile_(profile), forms_(forms) {}

  void Add(const Cell& cell) {
    AddValue(cell);
    const auto list = numbers_.size();
    numbers_.push_back(forms_.IdOf(cell, last_));
    if (cell.how == How::kEstimated)
      AddMember(list, {double{cell.error}, cell.low, cell.high}, intervals_);
    if (TellsSpread(cell)) AddMember(list, {cell.low, cell.high}, spread_);
  }

  // "value":…, and spread and intervals if there are any; without the forms.
  void AppendNumbers(std::string& out) {
    out += "\"value\":";
    if (constant_)
      AppendJsonValue(profile_, first_, out);
    else
      out += "[" + std::move(values_) + "]";
    if (!spread_.empty()) out += ",\n\"spread\":{" + std::move(spread_) + "}";
    if (!intervals_.empty())
      out += ",\n\"interval\":{" + std::move(intervals_) + "}";
  }

  std::vector<std::uint32_t> TakeForms() { return std::move(numbers_); }

 private:
  // Most metrics describe the device or the launch and never change: the value
  // is written once, until one differs.
  void AddValue(const Cell& cell) {
    if (numbers_.empty()) first_ = cell;
    if (constant_ && SameValue(first_, cell)) return;
    if (constant_) {
      constant_ = false;
      std::string first;
      AppendJsonValue(profile_, first_, first);
      first += ',';
      for (std::size_t i = 0; i < numbers_.size(); ++i) values_ += first;
    } else {
      values_ += ',';
    }
    AppendJsonValue(profile_, cell, values_);
  }

  // "list":[number,…]
  static void AddMember(std::size_t list, std::initializer_list<double> numbers,
                        std::string& out) {
    out += out.empty() ? "\"" : ",\"";
    AppendJsonCount(list, out);
    out += "\":";
    AppendJsonList(numbers, out,
                   [&](double number) { AppendJsonNumber(number, out); });
  }

  const Profile& profile_;
  CellForms& forms_;
  Cell first_{};
  bool constant_ = true;
  std::string values_{};     // of a JSON array, once they are not constant
  std::string spread_{};     // members of an object, by list
  std::string intervals_{};  // members of an object, by list
  CellForms::Last last_{};
  std::vector<std::uint32_t> numbers_{};
};

class BlockWriter {
 public:
  BlockWriter(const Report& report, const JsonExtent& extent,
              const std::vector<bool>& in_place)
      : report_(report), extent_(extent), in_place_(in_place) {}

  std::string Write() {
    text_ = "{\"schema\":\"rangefinder.columns/1\",\n\"scopes\":[";
    for (std::size_t i = 0; i < extent_.scopes.size(); ++i) WriteScope(i);
    text_ += "],\n\"lists\":";
    AppendJsonCount(lists_.size(), text_);
    text_ += ",\n\"metrics\":{";
    WriteColumns();
    text_ += "},\n\"forms\":";
    forms_.Append(text_);
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  void WriteScope(std::size_t place) {
    const ScopeRollup& scope = *extent_.scopes[place];
    text_ += place > 0 ? ",\n{\"scope\":" : "\n{\"scope\":";
    AppendJsonText(ScopeName(report_, scope.scope), text_);
    // With one process on one device, the second scope is a copy of the
    // aggregate.
    if (place == 1 && extent_.scopes.size() == 2 &&
        extent_.scopes[0]->scope.aggregate) {
      text_ += ",\"same_as\":0}";
      return;
    }
    text_ += ",\n\"totals\":";
    AppendList(ListOf(scope.totals));
    const std::vector<RegionId> order = extent_.Order(report_, scope);
    const auto array = [&](std::string_view key, const auto& of) {
      text_ += key;
      AppendJsonList(order, text_,
                     [&](RegionId id) { of(scope.regions[Index(id)], id); });
    };
    array(",\n\"regions\":", [&](const RegionRollup&, RegionId id) {
      AppendJsonCount(Index(id), text_);
    });
    array(",\n\"inclusive\":", [&](const RegionRollup& region, RegionId) {
      AppendList(ListOf(region.inclusive));
    });
    array(",\n\"exclusive\":", [&](const RegionRollup& region, RegionId) {
      AppendList(ListOf(region.exclusive));
    });
    array(",\n\"kernels\":", [&](const RegionRollup& region, RegionId) {
      AppendRows(region.all_kernels());
    });
    array(",\n\"measured\":", [&](const RegionRollup& region, RegionId) {
      AppendRows(region.measured);
    });
    if (!extent_.only) {
      text_ += ",\n\"by_name\":";
      AppendRows(scope.names);
    }
    text_ += '}';
  }

  // If nothing was measured, every cell is absent for that reason.
  std::uint32_t ListOf(const Amounts& amounts) {
    return amounts.kernel_count > 0 || amounts.estimated
               ? lists_.Add(amounts.cells)
               : CellLists::kNone;
  }

  template <typename Rows>
  void AppendRows(const Rows& rows) {
    AppendJsonList(rows, text_, [&](const auto& row) {
      AppendList(lists_.Add(row.amounts.cells));
    });
  }

  void AppendList(std::uint32_t list) {
    if (list == CellLists::kNone)
      text_ += "null";
    else
      AppendJsonCount(list, text_);
  }

  void WriteColumns() {
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < report_.rollup->columns.size(); ++c) {
      if (!in_place_[c]) columns.push_back(c);
    }
    for (std::size_t at = 0; at < columns.size(); at += kTogether) {
      const std::size_t end = std::min(at + kTogether, columns.size());
      std::vector<ColumnText> texts(end - at,
                                    ColumnText(*report_.profile, forms_));
      for (std::size_t list = 0; list < lists_.size(); ++list) {
        for (std::size_t i = at; i < end; ++i)
          texts[i - at].Add(lists_[list][columns[i]]);
      }
      for (std::size_t i = at; i < end; ++i)
        WriteColumn(columns[i], texts[i - at], i == 0);
    }
  }

  void WriteColumn(std::size_t column, ColumnText& text, bool first) {
    text_ += first ? "\n" : ",\n";
    AppendJsonText(report_.rollup->columns[column].name, text_);
    text_ += ":{";
    text.AppendNumbers(text_);
    text_ += ",\n\"form\":";
    AppendForms(column, text.TakeForms());
    text_ += '}';
  }

  // One number if all are equal; the name of an earlier metric with the same
  // list; else the list.
  void AppendForms(std::size_t column, std::vector<std::uint32_t> numbers) {
    const auto differs = [&](std::uint32_t n) { return n != numbers.front(); };
    if (numbers.empty() || std::ranges::none_of(numbers, differs)) {
      AppendJsonCount(numbers.empty() ? 0 : numbers.front(), text_);
      return;
    }
    if (const auto known = kept_.find(numbers); known != kept_.end()) {
      AppendJsonText(report_.rollup->columns[known->second].name, text_);
      return;
    }
    AppendJsonList(numbers, text_,
                   [&](std::uint32_t n) { AppendJsonCount(n, text_); });
    kept_count_ += numbers.size();
    if (kept_count_ <= kMostKept) kept_.emplace(std::move(numbers), column);
  }

  const Report& report_;
  const JsonExtent& extent_;
  const std::vector<bool>& in_place_;
  CellLists lists_{};
  CellForms forms_{};
  std::string text_{};
  // Lists of form numbers, and the metric of each.
  std::unordered_map<std::vector<std::uint32_t>, std::size_t, NumbersHash>
      kept_{};
  std::size_t kept_count_ = 0;
};

}  // namespace

std::vector<RegionId> JsonExtent::Order(const Report& report,
                                        const ScopeRollup& scope) const {
  std::vector<RegionId> order =
      ReadingOrder(report, scope, only.value_or(RegionTree::kRoot));
  if (page) std::erase_if(order, [&](RegionId id) { return !page->Has(id); });
  return order;
}

std::vector<bool> ColumnsInPlace(const Report& report, MetricsInPlace form) {
  using enum MetricsInPlace;
  const std::vector<Column>& columns = report.rollup->columns;
  if (form == kAll) return std::vector(columns.size(), true);
  std::vector<bool> in_place(columns.size());
  const auto add = [&](const auto& wanted) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (Has(wanted, columns[c].name)) in_place[c] = true;
    }
  };
  const auto none = [&] { return !Has(in_place, true); };
  add(report.options.table_metrics);
  add(report.options.requested_metrics);
  if (report.options.requested_metrics.empty() || none())
    add(report.capture.metrics);
  if (none()) {
    if (form == kAuto && HasFewCells(report))
      return std::vector(columns.size(), true);
    add(UsualMetrics());
  }
  // Sampled metrics, and metrics of sections, count as requested as well.
  add(SampledMetricsOf(report));
  if (report.options.estimates) {
    for (const std::size_t c : report.table_columns) in_place[c] = true;
  }
  if (!report.options.sections.empty()) {
    for (const SectionTable& table : report.sections->Tables()) {
      for (const SectionTableRow& row : table.rows) in_place[row.column] = true;
    }
  }
  return in_place;
}

PackedText PackColumns(const Report& report, const JsonExtent& extent,
                       const std::vector<bool>& in_place) {
  return Pack(BlockWriter(report, extent, in_place).Write());
}

}  // namespace rangefinder
