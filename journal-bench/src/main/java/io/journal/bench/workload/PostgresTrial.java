// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.journal.bench.experiment.Scope;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Child;
import org.agrona.CloseHelper;

/**
 * The appends of {@link EventStoreTrial} in PostgreSQL: one call of a function, which locks the tags of the event,
 * checks the condition, and inserts the event and its tags, is one transaction, durable before it returns.
 */
public final class PostgresTrial
{
    private static final String USER = "postgres";
    private static final int DATA_LENGTH = 256;
    private static final int START_SECONDS = 30;
    private static final int END_SECONDS = 30;
    private static final String SCHEMA = """
        create table events(
          position bigint generated always as identity primary key, type text not null, data bytea not null);
        create table tags(tag text, position bigint, primary key (tag, position));
        create function append(new_type text, new_data bytea, new_tags text[], absent text) returns bigint as $$
        declare
          result bigint;
        begin
          perform pg_advisory_xact_lock(hashtextextended(tag, 0)) from unnest(new_tags) tag order by tag;
          if exists (select 1 from tags where tag = absent) then
            raise exception 'conflict';
          end if;
          insert into events(type, data) values (new_type, new_data) returning position into result;
          insert into tags select tag, result from unnest(new_tags) tag;
          return result;
        end
        $$ language plpgsql;
        """;

    private PostgresTrial()
    {
    }

    /** The case of a number of clients; none, with a note, where PostgreSQL or its driver is missing. */
    static Optional<BenchmarkCase> of(final Scope scope, final int clients, final long ms)
    {
        final boolean isPresent =
            null != PostgresTrial.class.getResource("/io/journal/bench/peer/ArchiveSubject.class");
        final Path programs = isPresent ? programs() : null;
        if (null == programs)
        {
            scope.notes().add("skipped: PostgreSQL, because pg_config or its driver is missing");
            return Optional.empty();
        }
        return Optional.of(BenchmarkCase.of("PostgreSQL, clients: " + clients, PostgresTrial.class)
            .parameter("threads", clients).noted("subject", "POSTGRESQL").argument("ms", ms)
            .argument("programs", programs));
    }

    private static Path programs()
    {
        try
        {
            final Process config = new ProcessBuilder("pg_config", "--bindir").start();
            final String printed = new String(config.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return Files.isExecutable(Path.of(printed, "initdb")) ? Path.of(printed) : null;
        }
        catch (final IOException ignore)
        {
            return null;
        }
    }

    public static void main(final String[] args) throws Exception
    {
        final Arguments arguments = Arguments.of(args);
        final Path directory = Files.createDirectories(arguments.directory().resolve("postgres"));
        final boolean isRoot = "root".equals(Files.getOwner(directory).getName());
        if (isRoot)
        {
            // The server refuses to run as root, so its user must reach its directory.
            Files.setOwner(directory, directory.getFileSystem().getUserPrincipalLookupService()
                .lookupPrincipalByName(USER));
            for (final Path above : List.of(arguments.directory(), arguments.directory().getParent()))
            {
                Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwx--x--x"));
            }
        }

        final Path programs = Path.of(arguments.text("programs"));
        final Path log = directory.resolveSibling("postgres.log");
        final int port = freePort();
        final Process created = start(
            log, isRoot, programs.resolve("initdb"), "-D", directory, "-U", USER, "-A", "trust", "--no-sync",
            "--locale=C", "--encoding=UTF8");
        check(0 == created.waitFor(), log);
        final Process server = start(
            log, isRoot, programs.resolve("postgres"), "-D", directory, "-p", port, "-k", "",
            "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200", "-c", "shared_buffers=1GB",
            "-c", "max_wal_size=8GB");
        final Thread end = new Thread(server::destroy);
        Runtime.getRuntime().addShutdownHook(end);
        try
        {
            measure("jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=" + USER, server, log, arguments);
        }
        finally
        {
            server.destroy();
            server.waitFor(END_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static void measure(
        final String url, final Process server, final Path log, final Arguments arguments) throws Exception
    {
        final List<Client> clients = new ArrayList<>();
        try (Connection connection = connect(url, server, log); Statement statement = connection.createStatement())
        {
            statement.execute(SCHEMA);
            final ThreadTrials.Workers workers = new ThreadTrials.Workers();
            for (int i = 0; i < arguments.number("threads"); i++)
            {
                final Client client = new Client(DriverManager.getConnection(url), "client:" + i);
                clients.add(client);
                workers.add(client::append);
            }
            Child.print("recordsPerSecond", workers.rate(arguments.number("ms"), arguments.number("ms")));
            workers.printPercentiles();
            try (ResultSet count = statement.executeQuery("select count(*) from events"))
            {
                check(count.next() && workers.count() == count.getLong(1), log);
            }
        }
        finally
        {
            // The server waits for them before it ends.
            CloseHelper.quietCloseAll(clients);
        }
    }

    /** Appends events with two tags: its name, and an order that no event before has. */
    private static final class Client implements AutoCloseable
    {
        private final Connection connection;
        private final PreparedStatement append;
        private final String name;

        private Client(final Connection connection, final String name) throws SQLException
        {
            this.connection = connection;
            this.name = name;
            append = connection.prepareStatement("select append(?, ?, ?, ?)");
        }

        private void append(final long number) throws SQLException
        {
            final String order = name + ",order:" + number;
            append.setString(1, "placed");
            append.setBytes(2, new byte[DATA_LENGTH]);
            append.setArray(3, connection.createArrayOf("text", new String[]{ name, order }));
            append.setString(4, order);
            append.executeQuery().close();
        }

        @Override
        public void close() throws SQLException
        {
            append.close();
            connection.close();
        }
    }

    private static Connection connect(final String url, final Process server, final Path log) throws Exception
    {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true)
        {
            try
            {
                return DriverManager.getConnection(url);
            }
            catch (final SQLException ex)
            {
                check(server.isAlive() && System.nanoTime() < end, log);
                Thread.sleep(100);
            }
        }
    }

    private static int freePort() throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            return socket.getLocalPort();
        }
    }

    private static Process start(final Path log, final boolean isRoot, final Object... command) throws IOException
    {
        final List<String> all = new ArrayList<>(isRoot ? List.of("runuser", "-u", USER, "--") : List.of());
        for (final Object each : command)
        {
            all.add(each.toString());
        }
        return new ProcessBuilder(all).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
    }

    private static void check(final boolean isAsExpected, final Path log) throws IOException
    {
        if (!isAsExpected)
        {
            throw new IllegalStateException("PostgreSQL: " + Files.readString(log));
        }
    }
}
