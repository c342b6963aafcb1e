// What we say of CUPTI's structures is what the installed headers say.

#include "inject/cupti_abi.h"

#include <gtest/gtest.h>

#ifdef HAVE_CUPTI_HEADERS

#include <cupti.h>

namespace rangefinder::inject::cupti {
namespace {

#define SAME(ours, our_field, theirs, their_field) \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field))

using Kernel = CUpti_ActivityKernel9;
SAME(KernelRecord, registers, Kernel, registersPerThread);
SAME(KernelRecord, start, Kernel, start);
SAME(KernelRecord, end, Kernel, end);
SAME(KernelRecord, device, Kernel, deviceId);
SAME(KernelRecord, context, Kernel, contextId);
SAME(KernelRecord, stream, Kernel, streamId);
SAME(KernelRecord, grid, Kernel, gridX);
SAME(KernelRecord, block, Kernel, blockX);
SAME(KernelRecord, static_shared, Kernel, staticSharedMemory);
SAME(KernelRecord, dynamic_shared, Kernel, dynamicSharedMemory);
SAME(KernelRecord, correlation, Kernel, correlationId);
SAME(KernelRecord, name, Kernel, name);
SAME(KernelRecord, graph_node, Kernel, graphNodeId);

SAME(ResourceData, descriptor, CUpti_ResourceData, resourceDescriptor);
SAME(GraphData, node, CUpti_GraphData, node);
SAME(GraphData, original_node, CUpti_GraphData, originalNode);
static_assert(int{kResource} == int{CUPTI_CB_DOMAIN_RESOURCE});
static_assert(kGraphNodeCreated == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
static_assert(kGraphNodeCloned == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);

using Copy = CUpti_ActivityMemcpy5;
SAME(MemcpyRecord, copy_kind, Copy, copyKind);
SAME(MemcpyRecord, bytes, Copy, bytes);
SAME(MemcpyRecord, start, Copy, start);
SAME(MemcpyRecord, stream, Copy, streamId);
SAME(MemcpyRecord, correlation, Copy, correlationId);
SAME(MemcpyRecord, graph_node, Copy, graphNodeId);

using Peer = CUpti_ActivityMemcpyPtoP4;
SAME(MemcpyPeerRecord, bytes, Peer, bytes);
SAME(MemcpyPeerRecord, start, Peer, start);
SAME(MemcpyPeerRecord, correlation, Peer, correlationId);
SAME(MemcpyPeerRecord, graph_node, Peer, graphNodeId);

using Set = CUpti_ActivityMemset4;
SAME(MemsetRecord, value, Set, value);
SAME(MemsetRecord, bytes, Set, bytes);
SAME(MemsetRecord, start, Set, start);
SAME(MemsetRecord, correlation, Set, correlationId);
SAME(MemsetRecord, graph_node, Set, graphNodeId);

using Call = CUpti_ActivityAPI;
SAME(CallRecord, function, Call, cbid);
SAME(CallRecord, start, Call, start);
SAME(CallRecord, end, Call, end);
SAME(CallRecord, thread, Call, threadId);
SAME(CallRecord, correlation, Call, correlationId);

SAME(CallbackData, site, CUpti_CallbackData, callbackSite);
SAME(CallbackData, context, CUpti_CallbackData, context);
SAME(CallbackData, correlation_id, CUpti_CallbackData, correlationId);

TEST(CuptiAbi, NumbersAreCuptis) {
  EXPECT_EQ(int{kMemcpy}, int{CUPTI_ACTIVITY_KIND_MEMCPY});
  EXPECT_EQ(int{kMemset}, int{CUPTI_ACTIVITY_KIND_MEMSET});
  EXPECT_EQ(int{kKernel}, int{CUPTI_ACTIVITY_KIND_KERNEL});
  EXPECT_EQ(int{kDriverCall}, int{CUPTI_ACTIVITY_KIND_DRIVER});
  EXPECT_EQ(kThreadIdsOfTheSystem, int{CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM});
  EXPECT_EQ(int{kConcurrentKernel}, int{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  EXPECT_EQ(int{kMemcpyPeer}, int{CUPTI_ACTIVITY_KIND_MEMCPY2});
  EXPECT_EQ(int{kDeviceBufferSize},
            int{CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE});
  EXPECT_EQ(int{kZeroedBuffers},
            int{CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER});
  EXPECT_EQ(int{kDeviceBuffersBeforehand},
            int{CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE});
  EXPECT_EQ(int{kPinnedDeviceBuffers},
            int{CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED});
  EXPECT_EQ(int{kBufferPerThread},
            int{CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER});
  EXPECT_EQ(int{kDriverApi}, int{CUPTI_CB_DOMAIN_DRIVER_API});
  EXPECT_EQ(kApiEnter, int{CUPTI_API_ENTER});
  EXPECT_EQ(kMaxLimitReached, int{CUPTI_ERROR_MAX_LIMIT_REACHED});
  EXPECT_EQ(kInsufficientPrivileges, int{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES});
  EXPECT_LT(int{CUPTI_DRIVER_TRACE_CBID_SIZE}, int{kMaxDriverFunctions});
}

}  // namespace
}  // namespace rangefinder::inject::cupti

#else

TEST(CuptiAbi, NumbersAreCuptis) {
  GTEST_SKIP() << "no CUPTI headers: ITS STRUCTURES ARE NOT COMPARED";
}

#endif
