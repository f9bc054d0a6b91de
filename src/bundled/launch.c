/* SPDX-License-Identifier: Apache-2.0
 * `run` of a bundle. It is linked statically, and starts lib/dycl-run with the loader and the libraries of
 * the bundle, so that a machine needs nothing but a kernel. Without lib/system it uses those of the machine.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static char folder[PATH_MAX];
static char loader[PATH_MAX + 64];
static char libraries[2 * PATH_MAX + 64];
static char program[PATH_MAX + 64];

static int fail(const char* what) {
  fprintf(
      stderr,
      "error: %s cannot be started: %s [bundle.incomplete]\n  hint: copy the whole folder of the bundle\n",
      what, strerror(errno));
  return 5;
}

/* The folder of this file, with links followed. */
static int find_folder(void) {
  const char* self = (const char*)getauxval(AT_EXECFN);
  char* slash;
  if (self == NULL || realpath(self, folder) == NULL) return -1;
  slash = strrchr(folder, '/');
  if (slash == folder) ++slash;
  *slash = '\0';
  return 0;
}

int main(int argc, char** argv) {
  char** next = calloc((size_t)argc + 6, sizeof *next);
  int count = 0;
  if (next == NULL || find_folder() != 0) return fail(argv[0]);
  snprintf(loader, sizeof loader, "%s/lib/system/" DYCL_LOADER, folder);
  snprintf(libraries, sizeof libraries, "%s/lib:%s/lib/system", folder, folder);
  snprintf(program, sizeof program, "%s/lib/dycl-run", folder);
  if (access(loader, X_OK) == 0) {
    next[count++] = loader;
    next[count++] = "--library-path";
    next[count++] = libraries;
  }
  next[count++] = program;
  next[count++] = folder;
  for (int index = 1; index < argc; ++index) next[count++] = argv[index];
  execv(next[0], next);
  return fail(next[0]);
}
