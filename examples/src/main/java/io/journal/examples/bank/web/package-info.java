/**
 * The transport: HTTP, JSON, server-sent events and the page. Decides nothing about money; checks the origin and form
 * of requests.
 */
package io.journal.examples.bank.web;
