// SPDX-License-Identifier: Apache-2.0
// count PACKAGE PLUGINS: the same package from Go, by cgo.
package main

/*
#include <dycl/dycl.h>
#include <stdlib.h>

static dycl_runtime_options options_with(const char** plugins) {
  dycl_runtime_options options = {0};
  options.struct_size = sizeof options;
  options.plugin_folders = plugins;
  options.plugin_folder_count = 1;
  return options;
}
*/
import "C"

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
)

func check(status *C.dycl_status) {
	if status == nil {
		return
	}
	defer C.dycl_status_free(status)
	fmt.Fprintln(os.Stderr, C.GoString(C.dycl_status_text(status)))
	os.Exit(1)
}

func integer(number int64) *C.dycl_value {
	data := (*C.int64_t)(C.malloc(8)) // Go's own memory may not stay in C
	*data = C.int64_t(number)
	dims := C.int64_t(1)
	var value *C.dycl_value
	check(C.dycl_value_borrow(C.DYCL_I64, &dims, 1, unsafe.Pointer(data), 8, &value))
	return value
}

// Counts up to limit in steps of 7, and returns where that ends.
func count(program *C.dycl_program, limit int64) int64 {
	var session *C.dycl_session
	check(C.dycl_session_create(program, &session))
	defer C.dycl_session_free(session)
	inputs := []*C.dycl_value{integer(0), integer(7), integer(limit)}
	outputs := make([]*C.dycl_value, 2)
	check(C.dycl_session_run(session, &inputs[0], 3, &outputs[0], 2))
	var view C.dycl_tensor_view
	check(C.dycl_value_tensor(outputs[0], &view))
	result := int64(*(*C.int64_t)(view.data))
	for _, value := range append(inputs, outputs...) {
		C.dycl_value_free(value)
	}
	return result
}

func main() {
	plugins := (**C.char)(C.malloc(C.size_t(unsafe.Sizeof(uintptr(0)))))
	*plugins = C.CString(os.Args[2])
	options := C.options_with(plugins)
	var runtime *C.dycl_runtime
	var program *C.dycl_program
	check(C.dycl_runtime_create(&options, &runtime))
	check(C.dycl_program_load(runtime, C.CString(os.Args[1]), nil, &program))
	var all sync.WaitGroup
	results := make([]int64, 8)
	for index := range results { // goroutines move between threads; each has a session of its own
		all.Add(1)
		index := index
		go func() {
			defer all.Done()
			for round := 0; round < 100; round++ {
				results[index] = count(program, int64(20+7*index))
			}
		}()
	}
	all.Wait()
	C.dycl_program_free(program)
	C.dycl_runtime_free(runtime)
	fmt.Println(results)
}
