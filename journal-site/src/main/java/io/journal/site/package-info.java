// SPDX-License-Identifier: Apache-2.0
/**
 * Builds the site: the documents as pages, and the Javadoc of the published modules.
 */
package io.journal.site;
