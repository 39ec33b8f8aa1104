// The Marathi texts: one file an area of the console, put together; those of areas.json load with their pages.
import app from './app.json';
import control from './control.json';
import domain from './domain.json';
import history from './history.json';
import notifications from './notifications.json';
import people from './people.json';
import screen from './screen.json';
import shell from './shell.json';
import signIn from './sign-in.json';
import stop from './stop.json';
import verdict from './verdict.json';
import why from './why.json';

export default {
  ...app,
  ...shell,
  ...signIn,
  ...people,
  ...domain,
  ...notifications,
  ...control,
  ...history,
  ...stop,
  ...verdict,
  ...why,
  ...screen,
};
