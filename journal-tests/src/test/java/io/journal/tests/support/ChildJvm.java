// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.journal.tests.faults.FaultedWriter;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A {@link FaultedWriter} in a JVM of its own, which a fault may kill without affecting the test. */
public final class ChildJvm implements AutoCloseable
{
    private final Process process;
    private final BufferedReader output;
    private final Writer input;
    private final Path errors;
    private final Map<String, Long> highest = new HashMap<>();
    private boolean hasCrashed;

    /**
     * @param around the command that runs the JVM's.
     */
    public ChildJvm(final Path temp, final List<String> around, final Class<?> main, final Object... args)
    {
        this(temp, around, List.of("-XX:TieredStopAtLevel=1"), main, args);
    }

    private ChildJvm(
        final Path temp,
        final List<String> around,
        final List<String> flags,
        final Class<?> main,
        final Object... args)
    {
        final List<String> command = new ArrayList<>(around);
        command.addAll(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea", "-Xmx128m",
            "-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=" + temp.resolve("crash")));
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        for (final Object arg : args)
        {
            command.add(arg.toString());
        }
        try
        {
            errors = Files.createTempFile(temp, "errors", null);
            process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        output = process.inputReader(StandardCharsets.UTF_8);
        input = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    }

    /** A JVM that compiles hot code like a JVM in production, instead of compiling as little as possible. */
    public static ChildJvm optimizing(final Path temp, final Class<?> main, final Object... args)
    {
        return new ChildJvm(temp, List.of(), List.of(), main, args);
    }

    /** Runs a program that has to succeed. */
    public static void run(final Path temp, final List<String> around, final Class<?> main, final Object... args)
    {
        try (ChildJvm child = new ChildJvm(temp, around, main, args))
        {
            assertEquals(0, child.awaitEnd(), child::toString);
        }
    }

    /**
     * Listens until a word was said.
     *
     * @return the number that came with it.
     */
    public long await(final String word)
    {
        final String said = listen(word);
        if (!word.equals(said))
        {
            throw new AssertionError("ended before \"" + word + "\": " + this);
        }

        return highest.get(word);
    }

    /**
     * Reads messages until the given word comes with a number above the given number.
     *
     * @return false if the process ended before.
     */
    public boolean awaitBeyond(final String word, final long number)
    {
        while (highest(word) <= number)
        {
            if (null == listen(word))
            {
                return false;
            }
        }
        return true;
    }

    /**
     * Listens until the process has ended.
     *
     * @return its exit code.
     */
    public int awaitEnd()
    {
        listen(null);
        return process.onExit().join().exitValue();
    }

    /**
     * @return the highest number that came with a word, or -1 if it was not said.
     */
    public long highest(final String word)
    {
        return highest.getOrDefault(word, -1L);
    }

    public boolean hasSaid(final String word)
    {
        return highest.containsKey(word);
    }

    public void send(final String command) throws IOException
    {
        input.write(command + "\n");
        input.flush();
    }

    public void kill()
    {
        // The process would close its streams, with the words that are still in them.
        process.toHandle().destroyForcibly();
        awaitEnd();
    }

    @Override
    public void close()
    {
        // If a wrapper command runs the JVM, the JVM may outlive it.
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }

    @Override
    public String toString()
    {
        try
        {
            return "ChildJvm{said=" + highest + ", errors=" + Files.readString(errors) + '}';
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Whether it has reported that it ends because of a memory fault. */
    public boolean hasCrashed()
    {
        return hasCrashed;
    }

    private String listen(final String wanted)
    {
        try
        {
            String word = null;
            for (String line = output.readLine(); null != line; line = output.readLine())
            {
                final int space = line.indexOf(' ');
                if (space <= 0 || !Character.isLetter(line.charAt(0)))
                {
                    // The message of a JVM that ends because of a fault.
                    hasCrashed = true;
                    continue;
                }
                word = line.substring(0, space);
                highest.merge(word, Long.parseLong(line.substring(space + 1)), Math::max);
                if (word.equals(wanted))
                {
                    return word;
                }
            }
            return null;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
