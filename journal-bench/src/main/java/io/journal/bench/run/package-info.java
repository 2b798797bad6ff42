/**
 * What every measuring command stands on: its options, its directory, the processes it starts, and what they find.
 */
package io.journal.bench.run;
