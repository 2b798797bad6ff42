// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A test that runs per backend and write window: no window, a window that is not a multiple of the frame length, and a
 * window of a whole segment.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@ExtendWith(UsableBackends.class)
@MethodSource("io.journal.tests.support.JournalFixture#backendsAndWindows")
public @interface EachBackendAndWindow
{
}
