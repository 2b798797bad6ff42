package io.journal.internal.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * The two callbacks through which an application's state passes a snapshot's file.
 */
public final class SnapshotContent
{
    private SnapshotContent()
    {
    }

    /** Writes the state. */
    @FunctionalInterface
    public interface Writer
    {
        void write(OutputStream output) throws IOException;
    }

    /** Reads the state. */
    @FunctionalInterface
    public interface Reader
    {
        void read(InputStream input) throws IOException;
    }
}
