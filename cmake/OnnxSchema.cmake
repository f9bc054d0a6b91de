# SPDX-License-Identifier: Apache-2.0
# Target onnx_schema: the ONNX messages, generated from the .proto inside the onnx wheel and linked
# against static protobuf, so that no other protobuf in the process can meet ours.
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

find_library(DYCL_PROTOBUF_STATIC libprotobuf.a REQUIRED)
add_library(onnx_schema STATIC ${onnx_schema_folder}/onnx_ml.pb.cc)
target_include_directories(onnx_schema SYSTEM PUBLIC ${onnx_schema_folder} ${Protobuf_INCLUDE_DIRS})
target_link_libraries(onnx_schema PUBLIC ${DYCL_PROTOBUF_STATIC} Threads::Threads)
