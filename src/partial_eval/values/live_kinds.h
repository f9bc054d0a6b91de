// SPDX-License-Identifier: Apache-2.0
// What may be done with a live object without running code of the user's, and without changing it.
#pragma once

#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {

// Immutable, and of code that is known: numbers, text, dtypes, members of enumerations.
bool is_atom(nb::handle live);
// Its items can be read: it is a container of Python's, or of a class that derives from one and redefines no
// special method.
bool is_readable_container(nb::handle live);
// An instance of a class that derives from a container or text of Python's.
bool is_of_derived_container(nb::handle live);
// … and that reads it in another way, by a method in Python: C looks at the contents, past that method.
bool redefines_reading(nb::handle live);
// A list or tuple whose class says in Python what its items are: C reads those that it holds.
bool redefines_items(nb::handle type);
// CPython copies the entries of such a dict past the methods of its class; of others it asks keys() and
// __getitem__.
bool is_copied_past_methods(nb::handle type);
// A dict for which both ways give the entries that it holds.
bool is_copied_as_it_is(nb::handle live);
// It is told apart by identity, as every object whose class says nothing else: hashing and comparing runs no
// code.
bool is_told_by_identity(nb::handle live);
// It can be a key: an atom, told by identity, or a tuple of such.
bool is_plain_key(nb::handle live);
bool is_array(nb::handle live);        // a numpy.ndarray
bool is_plain_array(nb::handle live);  // … of the class itself, and not of objects
bool is_number_of_numpy(nb::handle live);
bool is_live_tensor(nb::handle live);   // a torch.Tensor
bool is_plain_tensor(nb::handle live);  // … of the class itself, or a Parameter or Buffer
bool is_member_of_enumeration(nb::handle live);
// What a class holds under a name is a method or attribute that C defines.
bool is_of_c(nb::handle entry);
// Tells the __new__ of a class that collections.namedtuple made.
bool makes_named_tuples(nb::handle creator);
nb::tuple fields_it_makes(nb::handle creator);  // … the names of its fields
// What a named tuple's class, or one that it derives from, defines instead of what a named tuple has: its
// reading would not be that of a tuple with names. Empty: nothing.
std::string odd_member_of_named_tuple(nb::handle type);
// The class, and what it derives from up to a type of C, defines no special method in Python but those that
// make objects.
bool has_plain_specials(nb::handle type);

}  // namespace dycl::partial_eval
