// SPDX-License-Identifier: Apache-2.0
// Field numbers and enumerators of onnx.proto, a public and frozen list. No other file knows them.
#pragma once

#include <cstdint>

namespace dycl::onnx_wire::field {

inline constexpr std::uint32_t kModelIrVersion = 1;
inline constexpr std::uint32_t kModelGraph = 7;
inline constexpr std::uint32_t kModelOpset = 8;
inline constexpr std::uint32_t kModelTraining = 20;
inline constexpr std::uint32_t kModelFunctions = 25;

inline constexpr std::uint32_t kOpsetDomain = 1;
inline constexpr std::uint32_t kOpsetVersion = 2;

inline constexpr std::uint32_t kGraphNode = 1;
inline constexpr std::uint32_t kGraphName = 2;
inline constexpr std::uint32_t kGraphInitializer = 5;
inline constexpr std::uint32_t kGraphInput = 11;
inline constexpr std::uint32_t kGraphOutput = 12;
inline constexpr std::uint32_t kGraphValue = 13;
inline constexpr std::uint32_t kGraphSparseInitializer = 15;

inline constexpr std::uint32_t kNodeInput = 1;
inline constexpr std::uint32_t kNodeOutput = 2;
inline constexpr std::uint32_t kNodeName = 3;
inline constexpr std::uint32_t kNodeOp = 4;
inline constexpr std::uint32_t kNodeAttribute = 5;
inline constexpr std::uint32_t kNodeDomain = 7;

inline constexpr std::uint32_t kAttributeName = 1;
inline constexpr std::uint32_t kAttributeFloat = 2;
inline constexpr std::uint32_t kAttributeInt = 3;
inline constexpr std::uint32_t kAttributeText = 4;
inline constexpr std::uint32_t kAttributeTensor = 5;
inline constexpr std::uint32_t kAttributeGraph = 6;
inline constexpr std::uint32_t kAttributeInts = 8;
inline constexpr std::uint32_t kAttributeTensors = 10;
inline constexpr std::uint32_t kAttributeGraphs = 11;
inline constexpr std::uint32_t kAttributeKind = 20;
inline constexpr std::uint32_t kAttributeSparseTensor = 22;
inline constexpr std::uint32_t kAttributeSparseTensors = 23;

inline constexpr std::uint32_t kTensorDims = 1;
inline constexpr std::uint32_t kTensorType = 2;
inline constexpr std::uint32_t kTensorFloats = 4;
inline constexpr std::uint32_t kTensorInt32s = 5;
inline constexpr std::uint32_t kTensorInt64s = 7;
inline constexpr std::uint32_t kTensorName = 8;
inline constexpr std::uint32_t kTensorRaw = 9;
inline constexpr std::uint32_t kTensorUint64s = 11;
inline constexpr std::uint32_t kTensorPlace = 13;     // external_data
inline constexpr std::uint32_t kTensorLocation = 14;  // data_location

inline constexpr std::uint32_t kEntryKey = 1;
inline constexpr std::uint32_t kEntryValue = 2;

inline constexpr std::uint32_t kValueName = 1;
inline constexpr std::uint32_t kValueType = 2;
inline constexpr std::uint32_t kTypeTensor = 1;
inline constexpr std::uint32_t kTypeDenotation = 6;
inline constexpr std::uint32_t kTensorTypeElement = 1;
inline constexpr std::uint32_t kTensorTypeShape = 2;
inline constexpr std::uint32_t kShapeDim = 1;
inline constexpr std::uint32_t kDimSize = 1;
inline constexpr std::uint32_t kDimSymbol = 2;

}  // namespace dycl::onnx_wire::field

namespace dycl::onnx_wire {

inline constexpr std::int32_t kDefaultLocation = 0;  // TensorProto.DataLocation
inline constexpr std::int32_t kExternalLocation = 1;
inline constexpr std::uint64_t kIntAttribute = 2;  // AttributeProto.AttributeType
inline constexpr std::uint64_t kIntsAttribute = 7;

}  // namespace dycl::onnx_wire
