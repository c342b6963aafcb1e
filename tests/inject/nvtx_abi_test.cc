// Our declarations of NVTX, and those of the tests' client, against NVIDIA's
// headers.

#include <gtest/gtest.h>

#ifdef INJECT_PROGRAM_NVIDIA
#include <cstddef>

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#if __has_include(<nvtx3/nvToolsExtPayload.h>)
#include <nvtx3/nvToolsExtPayload.h>
#endif

#include "inject/nvtx/nvtx_abi.h"

namespace rangefinder::inject::nvtx {
namespace {

#define SAME(ours, theirs) \
  static_assert(static_cast<long>(ours) == static_cast<long>(theirs))
#define SAME_FIELD(ours, theirs) \
  SAME(offsetof(EventAttributes, ours), offsetof(nvtxEventAttributes_t, theirs))

SAME(kExportCallbacks, NVTX_ETID_CALLBACKS);
SAME(sizeof(ExportCallbacks), sizeof(NvtxExportTableCallbacks));
SAME(kCore, NVTX_CB_MODULE_CORE);
SAME(kCuda, NVTX_CB_MODULE_CUDA);
SAME(kCudart, NVTX_CB_MODULE_CUDART);
SAME(kCore2, NVTX_CB_MODULE_CORE2);
SAME(kMarkEx, NVTX_CBID_CORE_MarkEx);
SAME(kRangePushEx, NVTX_CBID_CORE_RangePushEx);
SAME(kRangePop, NVTX_CBID_CORE_RangePop);
SAME(kNameOsThreadW, NVTX_CBID_CORE_NameOsThreadW);
SAME(kDomainMarkEx, NVTX_CBID_CORE2_DomainMarkEx);
SAME(kDomainRangePop, NVTX_CBID_CORE2_DomainRangePop);
SAME(kDomainDestroy, NVTX_CBID_CORE2_DomainDestroy);
SAME(kInitialize, NVTX_CBID_CORE2_Initialize);
SAME(kNameCuStreamA, NVTX_CBID_CUDA_NameCuStreamA);
SAME(kNameCudaStreamW, NVTX_CBID_CUDART_NameCudaStreamW);
SAME(sizeof(EventAttributes), NVTX_EVENT_ATTRIB_STRUCT_SIZE);
SAME_FIELD(category, category);
SAME_FIELD(color, color);
SAME_FIELD(payload_type, payloadType);
SAME_FIELD(payload, payload);
SAME_FIELD(message_type, messageType);
SAME_FIELD(message, message);
SAME(kAscii, NVTX_MESSAGE_TYPE_ASCII);
SAME(kUnicode, NVTX_MESSAGE_TYPE_UNICODE);
SAME(kRegistered, NVTX_MESSAGE_TYPE_REGISTERED);
SAME(kColorArgb, NVTX_COLOR_ARGB);
SAME(kNoTracking, NVTX_NO_PUSH_POP_TRACKING);
SAME_FIELD(reserved, reserved0);
#ifdef NVTX_PAYLOAD_TYPE_EXT
SAME(kExtendedPayload, NVTX_PAYLOAD_TYPE_EXT);
SAME(kPayloadSchemaRegister, NVTX3EXT_CBID_nvtxPayloadSchemaRegister);
SAME(kRangePopPayload, NVTX3EXT_CBID_nvtxRangePopPayload);
SAME(sizeof(PayloadData), sizeof(nvtxPayloadData_t));
SAME(offsetof(PayloadData, data), offsetof(nvtxPayloadData_t, payload));
SAME(sizeof(SchemaEntry), sizeof(nvtxPayloadSchemaEntry_t));
SAME(offsetof(SchemaEntry, name), offsetof(nvtxPayloadSchemaEntry_t, name));
SAME(offsetof(SchemaEntry, offset), offsetof(nvtxPayloadSchemaEntry_t, offset));
SAME(sizeof(SchemaAttributes), sizeof(nvtxPayloadSchemaAttr_t));
SAME(offsetof(SchemaAttributes, entries),
     offsetof(nvtxPayloadSchemaAttr_t, entries));
SAME(offsetof(SchemaAttributes, schema),
     offsetof(nvtxPayloadSchemaAttr_t, schemaId));
#endif

TEST(NvtxAbi, IsThatOfNvidiasHeaders) {
  SUCCEED() << "compared at compile time";
}

}  // namespace
}  // namespace rangefinder::inject::nvtx
#else
TEST(NvtxAbi, IsThatOfNvidiasHeaders) {
  GTEST_SKIP() << "NOT COMPARED: no NVTX headers here; nor is a program built "
                  "with them traced";
}
#endif
