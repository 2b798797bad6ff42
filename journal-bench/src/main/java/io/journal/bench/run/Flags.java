package io.journal.bench.run;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.sun.management.HotSpotDiagnosticMXBean;

/**
 * JVM flags whose effect is measured.
 */
public final class Flags
{
    private static final Pattern FLAG = Pattern.compile("-XX:(?:(\\w+)=(\\S+)|([+-])(\\w+))");

    private Flags()
    {
    }

    public static List<String> split(final String flags)
    {
        return Arrays.stream(flags.trim().split("\\s+")).filter((flag) -> !flag.isEmpty()).toList();
    }

    /**
     * Checks whether a JVM like this one accepts flags.
     *
     * @return null if it does, otherwise its error message.
     */
    public static String refusal(final String flags) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(Child.javaCommand(Flags.class).get(0)));
        command.addAll(split(flags));
        command.add("-version");
        // Without flags of the environment, which a JVM would announce in its first line.
        final Process java = Child.builder(command).redirectErrorStream(true).start();
        final String output = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return 0 == java.waitFor() ? null : output.lines().findFirst().orElse("no reason given");
    }

    /** Whether flags only say what a JVM like this one does anyway, so that it would be compared with itself. */
    public static boolean areDefaults(final String flags)
    {
        final HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        return split(flags).stream().map(FLAG::matcher).allMatch((flag) -> flag.matches() && isDefault(jvm, flag));
    }

    private static boolean isDefault(final HotSpotDiagnosticMXBean jvm, final Matcher flag)
    {
        final boolean isSwitch = null != flag.group(4);
        try
        {
            return jvm.getVMOption(flag.group(isSwitch ? 4 : 1)).getValue()
                .equals(isSwitch ? "" + "+".equals(flag.group(3)) : flag.group(2));
        }
        catch (final IllegalArgumentException ex)
        {
            // Not a flag of this JVM: its own message says so.
            return false;
        }
    }
}
