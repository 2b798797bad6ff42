// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Path;

import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** A suite of a {@link JournalFixture} with directories in memory, see {@link MemoryDirectory}. */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface InMemory
{
    /** Asks the test class for the place of its directories. */
    final class Factory implements TempDirFactory
    {
        @Override
        public Path createTempDirectory(
            final AnnotatedElementContext elementContext, final ExtensionContext extensionContext) throws Exception
        {
            final boolean isInMemory = extensionContext.getRequiredTestClass().isAnnotationPresent(InMemory.class);
            final TempDirFactory factory = isInMemory ? new MemoryDirectory() : TempDirFactory.Standard.INSTANCE;
            return factory.createTempDirectory(elementContext, extensionContext);
        }
    }
}
