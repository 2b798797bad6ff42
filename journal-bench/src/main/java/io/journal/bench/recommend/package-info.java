/**
 * Which backend to take here: measured, judged, and said why.
 */
package io.journal.bench.recommend;
