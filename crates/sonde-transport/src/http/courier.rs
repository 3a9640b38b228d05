//! Tasks that go on with what others began.
//!
//! Whoever sends a message does the first part of the work itself, so that the bytes leave without waking anybody. What
//! has to be waited for then goes on in a task that is there already: the work was polled with the waker of that task,
//! so that whatever it waits for wakes it. Beginning a task costs a wake-up of another core, which is more than
//! everything else that a small message takes.

use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Tasks that are kept for the next message.
const MOST_IDLE: usize = 16;

/// The tasks of one connection.
#[derive(Default)]
pub(super) struct Couriers(Mutex<Staff>);

#[derive(Default)]
struct Staff {
    idle: Vec<Arc<Courier>>,
    /// True once the connection is over: whoever has nothing to do ends.
    dismissed: bool,
}

/// What a task and whoever gives it work share.
struct Courier {
    bell: Arc<Bell>,
    /// The bell as what is waited for knows it.
    waker: Waker,
    load: Mutex<Load>,
}

/// What wakes a courier. While its work is polled, a ring is heard on the spot and wakes nobody: a connection rings for
/// itself with every request, and another core would come for nothing.
struct Bell {
    /// Of the task, which has one for all of its life.
    task: Waker,
    state: AtomicU8,
}

/// Nobody listens but the task.
const RESTING: u8 = 0;
/// Somebody polls the work.
const LISTENING: u8 = 1;
/// It rang meanwhile.
const RUNG: u8 = 2;

/// What rings more often while it is polled has used up its share of the time, and goes on when it is its turn.
const MOST_RINGS: usize = 8;

enum Load {
    None,
    Work(Work),
    Dismissed,
}

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Couriers {
    /// Begins the work, and sees to it that it goes on.
    pub fn carry(self: &Arc<Self>, work: impl Future<Output = ()> + Send + 'static) {
        let mut work: Work = Box::pin(work);
        let idle = self.staff().idle.pop();
        let Some(courier) = idle else {
            tokio::spawn(self.clone().serve(work));
            return;
        };
        // Held meanwhile, because what the work waits for may come before the work is handed over.
        let mut load = courier.load();
        match courier.poll(&mut work) {
            Poll::Pending => *load = Load::Work(work),
            Poll::Ready(()) => {
                drop(load);
                self.rest(courier);
            }
        }
    }

    /// Ends all tasks that have nothing to do, now and from now on.
    pub fn dismiss(&self) {
        let idle = {
            let mut staff = self.staff();
            staff.dismissed = true;
            std::mem::take(&mut staff.idle)
        };
        idle.iter().for_each(|courier| courier.dismiss());
    }

    async fn serve(self: Arc<Self>, work: Work) {
        work.await;
        let task = std::future::poll_fn(|context| Poll::Ready(context.waker().clone())).await;
        let courier = Arc::new(Courier::of(task));
        self.rest(courier.clone());
        std::future::poll_fn(|_| {
            let mut load = courier.load();
            match &mut *load {
                Load::None => Poll::Pending,
                Load::Dismissed => Poll::Ready(()),
                Load::Work(work) => {
                    if courier.poll(work).is_ready() {
                        *load = Load::None;
                        drop(load);
                        self.rest(courier.clone());
                    }
                    Poll::Pending
                }
            }
        })
        .await;
    }

    /// Takes back a courier that has nothing to do.
    fn rest(&self, courier: Arc<Courier>) {
        let mut staff = self.staff();
        if staff.dismissed || staff.idle.len() == MOST_IDLE {
            drop(staff);
            return courier.dismiss();
        }
        staff.idle.push(courier);
    }

    fn staff(&self) -> MutexGuard<'_, Staff> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Courier {
    fn of(task: Waker) -> Self {
        let bell = Arc::new(Bell { task, state: AtomicU8::new(RESTING) });
        Courier { waker: Waker::from(bell.clone()), bell, load: Mutex::new(Load::None) }
    }

    /// Polls the work, again where it rings meanwhile. Only whoever holds the load may.
    fn poll(&self, work: &mut Work) -> Poll<()> {
        let mut context = Context::from_waker(&self.waker);
        let state = &self.bell.state;
        for _ in 0..MOST_RINGS {
            state.store(LISTENING, Ordering::Release);
            if work.as_mut().poll(&mut context).is_ready() {
                state.store(RESTING, Ordering::Release);
                return Poll::Ready(());
            }
            if state.compare_exchange(LISTENING, RESTING, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return Poll::Pending;
            }
        }
        state.store(RESTING, Ordering::Release);
        self.bell.task.wake_by_ref();
        Poll::Pending
    }

    fn dismiss(&self) {
        *self.load() = Load::Dismissed;
        self.bell.task.wake_by_ref();
    }

    fn load(&self) -> MutexGuard<'_, Load> {
        self.load.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        match self.state.compare_exchange(LISTENING, RUNG, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) | Err(RUNG) => {}
            Err(_) => self.task.wake_by_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_is_begun_here_is_ended_elsewhere_as_often_as_it_takes() {
        let couriers = Arc::new(Couriers::default());
        for round in 0..1000 {
            let (go, gone) = oneshot::channel::<()>();
            let (tell, told) = oneshot::channel();
            couriers.carry(async move {
                assert!(gone.await.is_ok(), "somebody lets it go on");
                assert!(tell.send(round).is_ok(), "somebody waits for it");
            });
            assert!(go.send(()).is_ok(), "it is waited for");
            let told = tokio::time::timeout(Duration::from_secs(60), told).await;
            assert_eq!(told, Ok(Ok(round)), "the work went on");
        }
        assert!(couriers.staff().idle.len() <= MOST_IDLE, "no more are kept than is said");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn work_that_rings_for_itself_goes_on() {
        let couriers = Arc::new(Couriers::default());
        for yields in 0..3 * MOST_RINGS {
            let (tell, told) = oneshot::channel();
            couriers.carry(async move {
                for _ in 0..yields {
                    tokio::task::yield_now().await;
                }
                assert!(tell.send(()).is_ok(), "somebody waits for it");
            });
            let told = tokio::time::timeout(Duration::from_secs(60), told).await;
            assert_eq!(told, Ok(Ok(())), "however often it rings: {yields}");
        }
    }

    #[tokio::test]
    async fn nobody_stays_behind() {
        let couriers = Arc::new(Couriers::default());
        let (go, gone) = oneshot::channel::<()>();
        couriers.carry(async {});
        couriers.carry(async move { assert!(gone.await.is_ok(), "it still goes on") });
        tokio::task::yield_now().await;
        couriers.dismiss();
        assert!(go.send(()).is_ok(), "what was begun is not dropped");
        let ended = async {
            while Arc::strong_count(&couriers) > 1 {
                tokio::task::yield_now().await;
            }
        };
        assert!(tokio::time::timeout(Duration::from_secs(60), ended).await.is_ok(), "every task ended");
    }
}
