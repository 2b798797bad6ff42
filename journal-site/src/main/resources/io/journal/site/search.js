// SPDX-License-Identifier: Apache-2.0
// Finds the sections that contain every word; those with the words in their heading come first.
const root = document.body.dataset.root;
const field = document.getElementById('search');
const found = document.getElementById('found');

field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    const count = (text) => words.filter((word) => text.toLowerCase().includes(word)).length;
    const hits = 0 === words.length ? [] : INDEX
        .filter(([page, heading, address, text]) => count(`${page} ${heading} ${text}`) === words.length)
        .sort((a, b) => count(b[1]) - count(a[1]));
    found.replaceChildren(...hits.slice(0, 12).map(([page, heading, address, text]) => {
        const link = document.createElement('a');
        link.href = root + address;
        link.textContent = page === heading ? page : `${page}: ${heading}`;
        const at = text.lastIndexOf(' ', text.toLowerCase().indexOf(words[0]) - 40) + 1;
        const excerpt = document.createElement('span');
        excerpt.textContent = text.substring(at, at + 120);
        link.append(excerpt);
        const item = document.createElement('li');
        item.append(link);
        return item;
    }));
    if (words.length > 0 && 0 === hits.length) {
        const item = document.createElement('li');
        item.textContent = 'Nothing found. The Javadoc has a search of its own.';
        found.append(item);
    }
});

field.addEventListener('keydown', (event) => {
    if ('Escape' === event.key) {
        field.value = '';
        found.replaceChildren();
    }
});

if (window.matchMedia('(max-width: 60rem)').matches) {
    document.querySelector('details').open = false;
}
