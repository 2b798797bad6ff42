package io.journal.tests.support;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A test that runs for each backend with each kind of write window: none, one that no frame fits evenly, and one of a
 * whole segment.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@ExtendWith(UsableBackends.class)
@MethodSource("io.journal.tests.support.JournalFixture#backendsAndWindows")
public @interface EachBackendAndWindow
{
}
