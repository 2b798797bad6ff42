// SPDX-License-Identifier: Apache-2.0
/**
 * Names of the files in a journal's directory, its lock, and whether its storage has failed.
 */
package io.journal.internal.files;
