# SPDX-License-Identifier: Apache-2.0
# Target onnx_schema: the ONNX messages, generated from the .proto inside the onnx wheel.
execute_process(
  COMMAND ${Python_EXECUTABLE} -c "import os, onnx; print(os.path.dirname(onnx.__file__))"
  OUTPUT_VARIABLE DYCL_ONNX_FOLDER OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the onnx wheel is needed to build (for its schema): run 'make build', or "
                      "pip install onnx for ${Python_EXECUTABLE}")
endif()

set(onnx_schema_folder ${PROJECT_BINARY_DIR}/onnx_schema)
file(MAKE_DIRECTORY ${onnx_schema_folder})
configure_file(${DYCL_ONNX_FOLDER}/onnx-ml.proto ${onnx_schema_folder}/onnx_ml.proto COPYONLY)
add_custom_command(
  OUTPUT ${onnx_schema_folder}/onnx_ml.pb.cc ${onnx_schema_folder}/onnx_ml.pb.h
  COMMAND ${Protobuf_PROTOC_EXECUTABLE} --proto_path=${onnx_schema_folder}
          --cpp_out=${onnx_schema_folder} ${onnx_schema_folder}/onnx_ml.proto
  DEPENDS ${onnx_schema_folder}/onnx_ml.proto
  COMMENT "Generating the ONNX messages")

# Programs link protobuf statically. Debian's static library is not position-independent, so the Python
# module (property DYCL_SHARED_PROTOBUF) takes the shared one, and the wheel carries a copy of it.
find_library(DYCL_PROTOBUF_STATIC libprotobuf.a REQUIRED)
find_library(DYCL_PROTOBUF_SHARED libprotobuf.so REQUIRED)
file(REAL_PATH ${DYCL_PROTOBUF_SHARED} DYCL_PROTOBUF_SHARED_FILE)
add_library(onnx_schema STATIC ${onnx_schema_folder}/onnx_ml.pb.cc)
target_include_directories(onnx_schema SYSTEM PUBLIC ${onnx_schema_folder} ${Protobuf_INCLUDE_DIRS})
target_link_libraries(onnx_schema PUBLIC
  $<IF:$<BOOL:$<TARGET_PROPERTY:DYCL_SHARED_PROTOBUF>>,${DYCL_PROTOBUF_SHARED},${DYCL_PROTOBUF_STATIC}>
  Threads::Threads)
