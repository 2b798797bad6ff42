// SPDX-License-Identifier: Apache-2.0
/**
 * Flight Recorder events of the engine.
 * The engine emits them and never depends on them.
 */
package io.journal.internal.observe;
