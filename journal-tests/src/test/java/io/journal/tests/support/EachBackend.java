// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.stream.Stream;

import io.journal.store.Backend;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** A test that runs once per backend, which is its first parameter. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@ExtendWith(UsableBackends.class)
@ArgumentsSource(EachBackend.Source.class)
public @interface EachBackend
{
    /** Enums for the further parameters: the test runs for every combination of their constants. */
    Class<? extends Enum<?>>[] and() default {};

    Backend[] except() default {};

    /** Returns all combinations. */
    final class Source implements ArgumentsProvider, AnnotationConsumer<EachBackend>
    {
        private EachBackend test;

        @Override
        public void accept(final EachBackend annotation)
        {
            test = annotation;
        }

        @Override
        public Stream<Arguments> provideArguments(
            final ParameterDeclarations parameters, final ExtensionContext context)
        {
            Stream<Stream<?>> combinations = UsableBackends.tested(test.except()).stream().map(Stream::of);
            for (final Class<? extends Enum<?>> type : test.and())
            {
                combinations = combinations.map(Stream::toList).flatMap(
                    (prefix) -> Arrays.stream(type.getEnumConstants())
                        .map((constant) -> Stream.concat(prefix.stream(), Stream.of(constant))));
            }
            return combinations.map((values) -> Arguments.of(values.toArray()));
        }
    }
}
