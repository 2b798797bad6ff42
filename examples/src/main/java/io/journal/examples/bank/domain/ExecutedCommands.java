package io.journal.examples.bank.domain;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The ids of the newest commands that were executed, so that a command sent again is not executed again. Bounded: an id
 * is forgotten when as many newer ones are known as the window holds. Every event carries its command's id, and every
 * snapshot this window, so a restart forgets nothing. Not thread-safe.
 */
public final class ExecutedCommands
{
    /** Number of ids in the window. At 10,000 commands a second a client has 10 seconds to repeat one. */
    public static final int WINDOW = 100_000;

    private final int window;
    private final Map<UUID, Executed> commands = new LinkedHashMap<>();

    /**
     * A command that was executed.
     *
     * @param sequence    of its event.
     * @param fingerprint of the command: see {@link Command#fingerprint()}.
     */
    public record Executed(long sequence, long fingerprint)
    {
    }

    /** A visitor of the window. */
    @FunctionalInterface
    public interface Visitor<E extends Exception>
    {
        void on(UUID id, Executed command) throws E;
    }

    ExecutedCommands(final int window)
    {
        this.window = window;
    }

    /** {@return the command with an id, or null if none in the window has it} */
    Executed get(final UUID id)
    {
        return commands.get(id);
    }

    /**
     * Adds a command, and forgets the oldest one if the window is full.
     *
     * @param id      of the command.
     * @param command that was executed.
     */
    public void add(final UUID id, final Executed command)
    {
        commands.put(id, command);
        if (commands.size() > window)
        {
            commands.remove(commands.keySet().iterator().next());
        }
    }

    /** {@return the number of commands in the window} */
    public int size()
    {
        return commands.size();
    }

    /**
     * Visits all commands in the window, oldest first.
     *
     * @param visitor to call.
     * @param <E>     what it may throw.
     * @throws E if the visitor does.
     */
    public <E extends Exception> void forEach(final Visitor<E> visitor) throws E
    {
        for (final Map.Entry<UUID, Executed> entry : commands.entrySet())
        {
            visitor.on(entry.getKey(), entry.getValue());
        }
    }
}
