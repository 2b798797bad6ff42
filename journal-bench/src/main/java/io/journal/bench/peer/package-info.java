// SPDX-License-Identifier: Apache-2.0
/**
 * Other journals. Their libraries are in a profile of the build, and they are opened by name: nothing refers to them.
 */
package io.journal.bench.peer;
