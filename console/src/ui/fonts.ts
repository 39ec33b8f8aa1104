// The type, once it is there. Loaded after the first values on a device that never had it, and at once where it is kept.
import './fonts.css';

const { documentElement, fonts } = document;
// An English page has the names of the other languages in their own script, in whatever type there is (base.css).
const written = documentElement.lang === 'en' ? 'a' : (document.body.textContent ?? '');
// Both weights before either is used: all text is laid out anew once.
await Promise.allSettled([400, 600].map((weight) => fonts.load(`${weight} 1em Anek`, written)));
documentElement.dataset['fonts'] = 'here';
// What main.tsx asks.
localStorage.setItem('had-fonts', 'yes');
