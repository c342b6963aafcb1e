#include "profile/kernel_source.h"

#include "base/lists.h"

namespace rangefinder {

const KernelSource* KernelSources::Find(std::string_view kernel) const {
  const auto known = by_kernel.find(kernel);
  return known == by_kernel.end() ? nullptr : &known->second;
}

void KernelSources::Add(const KernelSources& other) {
  recorded = recorded || other.recorded;
  for (const auto& [kernel, source] : other.by_kernel) {
    KernelSource& mine = by_kernel[kernel];
    for (const auto list : {&KernelSource::lines, &KernelSource::operators,
                            &KernelSource::model_lines}) {
      for (const std::string& text : source.*list) AddOnce(mine.*list, text);
    }
  }
}

}  // namespace rangefinder
