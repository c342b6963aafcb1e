// Lists without repeated elements, and the order of lists.

#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace rangefinder {

template <typename List, typename T>
bool Has(const List& list, const T& element) {
  return std::ranges::find(list, element) != std::ranges::end(list);
}

// Adds the element unless the list has it.
template <typename T>
void AddOnce(std::vector<T>& list, const T& element) {
  if (!Has(list, element)) list.push_back(element);
}

// Sorts a list that mostly is sorted already: a stable sort would take as much
// memory as the list.
template <typename T, typename Key>
void SortBy(std::vector<T>& list, Key key) {
  if (!std::ranges::is_sorted(list, {}, key))
    std::ranges::stable_sort(list, {}, key);
}

// The numbers from 0 to count - 1, sorted by `key` of each; equal ones in their
// order.
template <typename Key, typename Compare = std::ranges::less>
std::vector<std::size_t> NumbersBy(std::size_t count, Key key,
                                   Compare compare = {}) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::ranges::stable_sort(numbers, compare, key);
  return numbers;
}

}  // namespace rangefinder
