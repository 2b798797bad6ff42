package io.journal.bench.recommend;

/**
 * What the journal is for, as its user says.
 *
 * @param survive      what an acknowledged record has to.
 * @param recordLength usual length of a record in bytes.
 * @param rate         records a second, at most.
 */
record Need(Survive survive, int recordLength, long rate)
{
}
