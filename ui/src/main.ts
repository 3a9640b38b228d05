import { mount } from 'svelte';
import App from './App.svelte';
import { tauri } from './backend/tauri';
import './styles/tokens.css';
import './styles/base.css';

// The fake is for looking at the window without the core; a build of any other mode leaves it out.
const backend = import.meta.env.MODE === 'fake' ? (await import('./backend/fake')).fakeBackend() : tauri;

const target = document.getElementById('app');
if (target === null) throw new Error('the page has no element `app`');
mount(App, { target, props: { backend } });
