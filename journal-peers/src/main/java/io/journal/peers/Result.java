package io.journal.peers;

import java.util.Map;

/**
 * What one process measured: a line of a result file.
 *
 * @param axis    what {@code growth} varied, or an empty string.
 * @param values  by name with unit; empty if it failed.
 * @param failure message, or an empty string.
 */
record Result(Case measured, String axis, int round, Map<String, Double> values, String failure)
{
}
